import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { iconButton, modelButton, pickerButton, withCost } from '../parts/buttons.ts';

/**
 * The target of the next question: model, API format, parameters and gateway. Each has a button to change it.
 * Empty until the host told the target.
 */
export function headerView(
  target: ChatTarget | undefined,
  isEmpty: boolean,
  isSheetOpen: boolean,
): TemplateResult {
  if (!target) return html`<header class="page-header"></header>`;
  const { model, gateway } = target;
  return html`
    <header class="page-header">
      ${target.compared ? comparedButtons(target, target.compared) : askedModel(target)}
      ${model === undefined ? nothing : howButtons(target, isSheetOpen)}
      ${gateway === undefined ? nothing : gatewayButton(gateway, isEmpty)}
    </header>
  `;
}

function askedModel(target: ChatTarget): TemplateResult {
  return html`
    ${modelButton(target)}
    ${target.model === undefined ? nothing : iconButton('split-horizontal', 'Compare Models…', 'compare-models')}
  `;
}

/** The models that are asked at once, and a way back to one while none of them has been asked. */
function comparedButtons({ isComparing, cost }: ChatTarget, models: readonly string[]): TemplateResult {
  const short = `${models.length} models`;
  const shown = `${short}: ${models.join(', ')}`;
  const label = `${shown}. ${isComparing ? 'Ask another one as well' : 'Choose others'}`;
  return html`
    ${pickerButton('compare-models', shown, withCost(label, cost), short)}
    ${isComparing ? nothing : iconButton('close', 'Ask One Model', 'ask-one-model')}
  `;
}

function gatewayButton(gateway: string, isEmpty: boolean): TemplateResult {
  const label = isEmpty
    ? `Gateway: ${gateway}. Choose another`
    : `This chat belongs to ${gateway}. Move it to another gateway`;
  return html`
    <button type="button" class="model-button gateway-button" title=${label} aria-label=${label} data-action="move-chat">
      <span class="codicon codicon-broadcast" aria-hidden="true"></span>
      <span class="model-name">${gateway}</span>
    </button>
  `;
}

/** The buttons for API format and parameters. Models that are compared are asked in an API format each. */
function howButtons(
  { format, formatShort, parametersSet, compared }: ChatTarget,
  isSheetOpen: boolean,
): TemplateResult {
  const parameters = parametersSet === 0 ? 'Parameters' : `Parameters: ${parametersSet} set`;
  return html`
    ${compared ? nothing : pickerButton('choose-format', format, `API format: ${format}. Choose another`, formatShort)}
    <button type="button" class="model-button" title=${parameters} aria-label=${parameters} aria-expanded=${isSheetOpen} data-action="open-parameters">
      <span class="codicon codicon-settings" aria-hidden="true"></span>
      ${parametersSet === 0 ? nothing : html`<span>${parametersSet}<span class="wide-word"> set</span></span>`}
    </button>
  `;
}
