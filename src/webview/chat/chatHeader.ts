import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { addCost, renderIconButton, renderModelButton, renderPickerButton } from '../parts/buttons.ts';
import { t } from '../words/l10n.ts';

/**
 * Renders the target of the next question: model, API format if it is not the default, parameters and gateway, each
 * as a button that changes it. Empty until the host sends the target.
 */
export function renderHeader(
  target: ChatTarget | undefined,
  isEmpty: boolean,
  isSheetOpen: boolean,
): TemplateResult {
  if (!target) return html`<header class="page-header"></header>`;
  const { model, gateway } = target;
  return html`
    <header class="page-header">
      ${target.compared ? renderComparedButtons(target, target.compared) : renderSingleModelButtons(target)}
      ${model === undefined ? nothing : renderSettingButtons(target, isSheetOpen)}
      ${gateway === undefined ? nothing : renderGatewayButton(gateway, isEmpty)}
    </header>
  `;
}

function renderSingleModelButtons(target: ChatTarget): TemplateResult {
  return html`
    ${renderModelButton(target)}
    ${target.model === undefined ? nothing : renderIconButton('split-horizontal', t('Compare Models…'), 'compare-models')}
  `;
}

/**
 * Renders the models that receive the question, and a button to use a single model until the comparison has begun.
 */
function renderComparedButtons({ isComparing, cost }: ChatTarget, models: readonly string[]): TemplateResult {
  const short = t('{0} models', models.length);
  const modelsText = t('{0}: {1}', short, models.join(t(', ')));
  const label = t(isComparing ? '{0}. Add Another Model' : '{0}. Choose others', modelsText);
  return html`
    ${renderPickerButton('compare-models', modelsText, addCost(label, cost), short)}
    ${isComparing ? nothing : renderIconButton('close', t('Ask One Model'), 'ask-one-model')}
  `;
}

function renderGatewayButton(gateway: string, isEmpty: boolean): TemplateResult {
  const label = isEmpty
    ? t('Gateway: {0}. Choose another', gateway)
    : t('This chat belongs to {0}. Move it to another gateway', gateway);
  return html`
    <button type="button" class="model-button gateway-button" title=${label} aria-label=${label} data-action="move-chat">
      <span class="codicon codicon-broadcast" aria-hidden="true"></span>
      <span class="model-name">${gateway}</span>
    </button>
  `;
}

/**
 * Renders the buttons for parameters and for an API format that is not the model's default. Compared models have
 * separate API formats.
 */
function renderSettingButtons(
  { format, formatShort, isFormatChanged, parametersSet, compared }: ChatTarget,
  isSheetOpen: boolean,
): TemplateResult {
  const parameters = parametersSet === 0 ? t('Parameters') : t('Parameters: {0} set', parametersSet);
  return html`
    ${compared || !isFormatChanged ? nothing : renderPickerButton('choose-format', format, t('API format: {0}. Choose another', format), formatShort)}
    <button type="button" class="model-button" title=${parameters} aria-label=${parameters} aria-expanded=${isSheetOpen} data-action="open-parameters">
      <span class="codicon codicon-settings" aria-hidden="true"></span>
      ${parametersSet === 0 ? nothing : html`<span>${parametersSet}<span class="wide-text"> ${t('set')}</span></span>`}
    </button>
  `;
}
