import './fieldElement.ts';
import { html, nothing, type TemplateResult } from 'lit';
import { searchWords } from '../../base/searchWords.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import type { EnteredParameters } from './enteredParameters.ts';
import type { Field } from './formFields.ts';

export type Tab = 'parameters' | 'request';

/** The parameters compared with the saved ones. */
export interface SavedParameters {
  readonly model: string | undefined;
  /** Whether the model has a default, and whether the parameters equal it. */
  readonly defaults: 'none' | 'same' | 'other';
  /** Whether the last change reset all parameters. */
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

/** Renders a sheet over the page, which is a modal dialog. */
export function renderDialogSheet(content: TemplateResult, onClose: () => void): TemplateResult {
  return html`
    <dialog
      class="sheet"
      aria-label=${t('Parameters')}
      closedby="any"
      @close=${onClose}
      @change=${stopEvent}
      @keydown=${stopEscape}
    >
      ${content}
    </dialog>
  `;
}

/** Renders a sheet next to the page, which the user can still use. */
export function renderAsideSheet(content: TemplateResult, onClose: () => void): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    stopEscape(event);
    if (event.key === 'Escape' && !event.isComposing) onClose();
  };
  return html`
    <aside class="sheet" aria-label=${t('Parameters')} @change=${stopEvent} @keydown=${onKey}>${content}</aside>
  `;
}

/** Renders the tabs of the parameters sheet, and the button that closes it. */
export function renderSheetHead(shown: Tab, events: HeadEvents): TemplateResult {
  return html`
    <div class="sheet-head">
      <div class="tabs" role="tablist" aria-label=${t('Parameters and request')} @keydown=${events.onKey}>
        ${tabs.map(([tab, label]) => renderTab(tab, label, shown === tab, events.onShow))}
      </div>
      <span class="spacer"></span>
      <button type="button" class="icon-button" title=${t('Close (Esc)')} aria-label=${t('Close')} @click=${events.onClose}>
        <span class="codicon codicon-close" aria-hidden="true"></span>
      </button>
    </div>
  `;
}

/** Renders the request as it will be sent, below a notice of the parts that are omitted. */
export function renderRequest(
  json: string,
  omitted: readonly string[],
  copy: (event: Event) => void,
): TemplateResult {
  return html`
    ${omitted.length === 0 ? nothing : renderOmitted(omitted)}
    <div class="request">
      <button type="button" class="button secondary copy-request" @click=${copy}>
        <span class="codicon codicon-copy" aria-hidden="true"></span> ${t('Copy')}
      </button>
      <pre class="request-json" tabindex="0" role="region" aria-label=${t('Request as JSON')}>${json}</pre>
    </div>
  `;
}

/**
 * Renders the picker for the model whose request is shown, if the question is sent to several models.
 *
 * @param nth the index of the chosen model
 */
export function renderModelPicker(
  models: readonly string[],
  nth: number,
  choose: (nth: number) => void,
): TemplateResult {
  return html`
    <label class="request-model">
      <span>${t('Request to')}</span>
      <select class="box" @change=${({ target }: Event) => target instanceof HTMLSelectElement && choose(target.selectedIndex)}>
        ${models.map((model, index) => html`<option ?selected=${index === nth} .selected=${index === nth}>${model}</option>`)}
      </select>
    </label>
  `;
}

/** Renders the button that resets all parameters, or undoes the reset. */
export function renderResetAllButton(
  wasReset: boolean,
  canReset: boolean,
  { reset, undo }: { readonly reset: () => void; readonly undo: () => void },
): TemplateResult {
  return wasReset
    ? html`<button type="button" class="button secondary" @click=${undo}>${t('Undo Reset')}</button>`
    : html`<button type="button" class="button secondary" ?disabled=${!canReset} @click=${reset}>${t('Reset All')}</button>`;
}

/** Renders the buttons below the parameters, such as the button that saves them for other chats. */
export function renderSaveTools(
  { model, defaults }: SavedParameters,
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  return html`
    <div class="save-tools">
      <button type="button" class="button secondary" @click=${() => use('presets')}>${t('Presets…')}</button>
      <button type="button" class="button secondary" @click=${() => use('edit-schema')}>${t('Response Schema…')}</button>
      ${model === undefined ? nothing : renderDefaultButton(model, defaults, isSet, use)}
    </div>
  `;
}

/** Stops change events of inner controls, which would look like change events of the sheet. */
function stopEvent(event: Event): void {
  event.stopPropagation();
}

/** Prevents other effects of Escape, such as stopping a reply. */
function stopEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}

function renderTab(tab: Tab, label: string, isSelected: boolean, show: (tab: Tab) => void): TemplateResult {
  return html`
    <button
      type="button"
      class="tab"
      role="tab"
      id="tab-${tab}"
      aria-controls="panel-${tab}"
      aria-selected=${isSelected}
      tabindex=${isSelected ? 0 : -1}
      @click=${() => show(tab)}
    >
      ${label}
    </button>
  `;
}

function renderOmitted(omitted: readonly string[]): TemplateResult {
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

function renderDefaultButton(
  model: string,
  defaults: SavedParameters['defaults'],
  isSet: boolean,
  use: (tool: string) => void,
): TemplateResult {
  const isDefault = defaults === 'same';
  const label = t(isDefault ? 'Remove Default' : 'Save as Default');
  const fullLabel = t(isDefault ? 'Remove Default for {0}' : 'Save as Default for {0}', model);
  return html`
    <button
      type="button"
      class="button secondary"
      title=${fullLabel}
      aria-label=${fullLabel}
      ?disabled=${defaults === 'none' && !isSet}
      @click=${() => use(isDefault ? 'remove-default' : 'save-default')}
    >
      ${label}
    </button>
  `;
}

type Heading = 'common' | 'set' | 'unset' | 'none';

interface FieldListOptions {
  /** The text of the search box. */
  readonly search: string;
  /** The number of values that are sent, without the common parameters. */
  readonly setCount: number;
  /** Names of the common parameters that are set but not sent; undefined for a form without common parameters. */
  readonly unused: readonly string[] | undefined;
}

/** Renders the search box that filters the fields of the list. */
export function renderSearchBox(search: string, onInput: (event: InputEvent) => void): TemplateResult {
  return html`
    <input
      class="box"
      type="text"
      role="searchbox"
      placeholder=${t('Search parameters')}
      aria-label=${t('Search parameters')}
      spellcheck="false"
      autofocus
      .value=${search}
      @input=${onInput}
    />
  `;
}

/** Renders headings and fields in one list, so that a field does not lose its input when it moves. */
export function renderFieldList(parameters: EnteredParameters, options: FieldListOptions): unknown {
  const { set, unset } = parameters.rows;
  const words = searchWords(options.search);
  const rows = ['common', ...parameters.commonFields, 'set', ...set, 'unset', ...unset, 'none'] as const;
  return repeat(
    rows,
    (row) => (typeof row === 'string' ? row : `${parameters.generation} ${row.path.join('.')}`),
    (row) =>
      typeof row === 'string' ? renderHeading(row, parameters, options) : renderField(row, parameters, words),
  );
}

function renderHeading(
  heading: Heading,
  parameters: EnteredParameters,
  { search, setCount, unused }: FieldListOptions,
): TemplateResult | typeof nothing {
  const words = searchWords(search);
  const isAnyFound = (fields: readonly Field[]) =>
    fields.some((field) => parameters.matchesSearch(field, words));
  const { commonFields, rows } = parameters;
  switch (heading) {
    case 'common':
      return unused ? renderCommonHeading(unused, isAnyFound(commonFields)) : nothing;
    case 'set': {
      const mayBeEmpty = search.trim() === '' && unused === undefined;
      const note = unused ? t('For this API format only.') : t('Sent with the fields of the form.');
      return html`
        <h2 class="section" ?hidden=${!isAnyFound(rows.set) && !mayBeEmpty}>
          ${t('Set ({0})', setCount)} <span class="section-note">${note}</span>
        </h2>
      `;
    }
    case 'unset':
      return html`<h2 class="section" ?hidden=${!isAnyFound(rows.unset)}>${t(unused ? 'More' : 'Not set')}</h2>`;
    case 'none': {
      const isFound = isAnyFound([...commonFields, ...rows.set, ...rows.unset]);
      return html`<p class="no-matches" ?hidden=${isFound}>${t('No parameter matches. Add it as JSON under Other fields.')}</p>`;
    }
  }
}

function renderCommonHeading(unused: readonly string[], isShown: boolean): TemplateResult {
  return html`
    <h2 class="section" ?hidden=${!isShown}>
      ${t('Common')} <span class="section-note">${t('Kept when the API format changes.')}</span>
    </h2>
    ${unused.length === 0 ? nothing : html`<p class="section-note unused">${t('Not sent in this API format: {0}.', unused.join(t(', ')))}</p>`}
  `;
}

function renderField(field: Field, parameters: EnteredParameters, words: readonly string[]): TemplateResult {
  return html`
    <mg-field .field=${field} .value=${parameters.getValue(field)} .words=${words} ?hidden=${!parameters.matchesSearch(field, words)}></mg-field>
  `;
}
