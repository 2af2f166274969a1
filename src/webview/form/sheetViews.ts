import { html, nothing, type TemplateResult } from 'lit';
import { t } from '../words/l10n.ts';

export type Tab = 'parameters' | 'request';

/** How the parameters stand to those that are kept. */
export interface KeptView {
  readonly model: string | undefined;
  /** Whether the model has a default, and the same one. */
  readonly defaults: 'none' | 'same' | 'other';
  /** Whether the last change was a reset of all. */
  readonly wasReset: boolean;
}

interface HeadEvents {
  readonly onShow: (tab: Tab) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onClose: () => void;
}

const tabs: readonly (readonly [Tab, string])[] = [
  ['parameters', t('Parameters')],
  ['request', t('Request')],
];

/** A sheet over the page, which is a modal dialog. */
export function sheetOver(content: TemplateResult, onClose: () => void): TemplateResult {
  return html`
    <dialog
      class="sheet"
      aria-label=${t('Parameters')}
      closedby="any"
      @close=${onClose}
      @change=${stop}
      @keydown=${keepEscape}
    >
      ${content}
    </dialog>
  `;
}

/** A sheet beside the page, which stays in use. */
export function sheetBeside(content: TemplateResult, onClose: () => void): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    keepEscape(event);
    if (event.key === 'Escape' && !event.isComposing) onClose();
  };
  return html`
    <aside class="sheet" aria-label=${t('Parameters')} @change=${stop} @keydown=${onKey}>${content}</aside>
  `;
}

/** The tabs of the parameters sheet, and the button that closes it. */
export function sheetHead(shown: Tab, events: HeadEvents): TemplateResult {
  return html`
    <div class="sheet-head">
      <div class="tabs" role="tablist" aria-label=${t('Parameters and request')} @keydown=${events.onKey}>
        ${tabs.map(([tab, label]) => tabButton(tab, label, shown === tab, events.onShow))}
      </div>
      <span class="spacer"></span>
      <button type="button" class="icon-button" title=${t('Close (Esc)')} aria-label=${t('Close')} @click=${events.onClose}>
        <span class="codicon codicon-close" aria-hidden="true"></span>
      </button>
    </div>
  `;
}

/** The request as it will be sent, below a notice of what does not go along. */
export function requestView(
  json: string,
  omitted: readonly string[],
  copy: (event: Event) => void,
): TemplateResult {
  return html`
    ${omitted.length === 0 ? nothing : omittedView(omitted)}
    <div class="request">
      <button type="button" class="button secondary copy-request" @click=${copy}>
        <span class="codicon codicon-copy" aria-hidden="true"></span> ${t('Copy')}
      </button>
      <pre class="request-json" tabindex="0" role="region" aria-label=${t('Request as JSON')}>${json}</pre>
    </div>
  `;
}

/** Chooses the model for which the request is shown, where several are asked. */
export function modelPicker(
  models: readonly string[],
  nth: number,
  choose: (nth: number) => void,
): TemplateResult {
  return html`
    <label class="request-model">
      <span>${t('Request to')}</span>
      <select class="box" @change=${({ target }: Event) => target instanceof HTMLSelectElement && choose(target.selectedIndex)}>
        ${models.map((model, at) => html`<option ?selected=${at === nth} .selected=${at === nth}>${model}</option>`)}
      </select>
    </label>
  `;
}

/** The button that resets all parameters, or undoes that. */
export function resetTool(
  wasReset: boolean,
  canReset: boolean,
  { reset, undo }: { readonly reset: () => void; readonly undo: () => void },
): TemplateResult {
  return wasReset
    ? html`<button type="button" class="button secondary" @click=${undo}>${t('Undo Reset')}</button>`
    : html`<button type="button" class="button secondary" ?disabled=${!canReset} @click=${reset}>${t('Reset All')}</button>`;
}

/** The buttons below the parameters: what is kept of them for other chats. */
export function keptTools(
  { model, defaults }: KeptView,
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  return html`
    <div class="kept-tools">
      <button type="button" class="button secondary" @click=${() => use('presets')}>${t('Presets…')}</button>
      <button type="button" class="button secondary" @click=${() => use('edit-schema')}>${t('Response Schema…')}</button>
      ${model === undefined ? nothing : defaultButton(model, defaults, isSet, use)}
    </div>
  `;
}

/** Keeps changes of the controls inside from being taken for those of the sheet. */
function stop(event: Event): void {
  event.stopPropagation();
}

/** Keeps Escape from doing more than closing the sheet, such as stopping a reply. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}

function tabButton(tab: Tab, label: string, selected: boolean, show: (tab: Tab) => void): TemplateResult {
  return html`
    <button
      type="button"
      class="tab"
      role="tab"
      id="tab-${tab}"
      aria-controls="panel-${tab}"
      aria-selected=${selected}
      tabindex=${selected ? 0 : -1}
      @click=${() => show(tab)}
    >
      ${label}
    </button>
  `;
}

function omittedView(omitted: readonly string[]): TemplateResult {
  return html`
    <div class="omitted">
      <span class="codicon codicon-warning" aria-hidden="true"></span>
      <div>
        <strong>${t('Some content is not sent')}</strong>
        <ul>
          ${omitted.map((each) => html`<li>${each}</li>`)}
        </ul>
      </div>
    </div>
  `;
}

function defaultButton(
  model: string,
  defaults: KeptView['defaults'],
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  const isKept = defaults === 'same';
  const label = t(isKept ? 'Remove Default' : 'Save as Default');
  const whole = t(isKept ? 'Remove Default for {0}' : 'Save as Default for {0}', model);
  return html`
    <button
      type="button"
      class="button secondary"
      title=${whole}
      aria-label=${whole}
      ?disabled=${defaults === 'none' && !isSet}
      @click=${() => use(isKept ? 'remove-default' : 'save-default')}
    >
      ${label}
    </button>
  `;
}
