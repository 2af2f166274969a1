import { html, nothing, type TemplateResult } from 'lit';
import type { GenerateTarget } from '../../protocol/generatePage.ts';
import { pickerButton } from '../parts/buttons.ts';

/** The target of the next request: model and route, with buttons to change them, and the gateway. */
export function headerView({ model, route, gateway }: GenerateTarget): TemplateResult {
  const modelLabel = model === undefined ? 'No model. Choose one' : `Model: ${model}. Choose another`;
  return html`
    <header class="page-header">
      ${pickerButton('choose-model', model ?? 'No model', modelLabel)}
      ${pickerButton('choose-route', route, `Route: ${route}. Choose another`)}
      ${gateway === undefined ? nothing : html`<span class="gateway" title="Gateway">${gateway}</span>`}
    </header>
  `;
}
