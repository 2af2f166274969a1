import { html, nothing, type TemplateResult } from 'lit';
import type { ChatTarget } from '../../protocol/chatPage.ts';
import { pickerButton } from '../parts/buttons.ts';

/**
 * The target of the next question: model, API format, parameters and gateway. Each has a button to change it.
 */
export function headerView(target: ChatTarget, isEmpty: boolean, isSheetOpen: boolean): TemplateResult {
  const { model, gateway } = target;
  const label = model === undefined ? 'Choose a model' : `Model: ${model}. Choose another`;
  return html`
    <header class="page-header">
      ${pickerButton('choose-model', model ?? 'No model', label)}
      ${model === undefined ? nothing : howButtons(target, isSheetOpen)}
      ${gateway === undefined ? nothing : gatewayButton(gateway, isEmpty)}
    </header>
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

/** The buttons for API format and parameters. */
function howButtons({ format, parametersSet }: ChatTarget, isSheetOpen: boolean): TemplateResult {
  const parameters = parametersSet === 0 ? 'Parameters' : `Parameters: ${parametersSet} set`;
  return html`
    ${pickerButton('choose-format', format, `API format: ${format}. Choose another`)}
    <button type="button" class="model-button" title=${parameters} aria-label=${parameters} aria-expanded=${isSheetOpen} data-action="open-parameters">
      <span class="codicon codicon-settings" aria-hidden="true"></span>
      ${parametersSet === 0 ? nothing : html`<span>${parametersSet} set</span>`}
    </button>
  `;
}
