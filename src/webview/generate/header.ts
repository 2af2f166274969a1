import { html, nothing, type TemplateResult } from 'lit';
import type { GenerateTarget } from '../../protocol/generatePage.ts';
import { modelButton, pickerButton } from '../parts/buttons.ts';
import { t } from '../words/l10n.ts';

/**
 * The target of the next request: model and route, with buttons to change them, and the gateway. Empty until
 * the host told the target.
 */
export function headerView(target: GenerateTarget | undefined): TemplateResult {
  if (!target) return html`<header class="page-header"></header>`;
  const { route, routeShort, gateway } = target;
  return html`
    <header class="page-header">
      ${modelButton(target)}
      ${pickerButton('choose-route', route, t('Route: {0}. Choose another', route), routeShort)}
      ${gateway === undefined ? nothing : html`<span class="gateway" title=${t('Gateway')}>${gateway}</span>`}
    </header>
  `;
}
