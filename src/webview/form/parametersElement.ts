import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { withValue } from '../../base/nestedValues.ts';
import { showCopied } from '../parts/actions.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { counted } from '../words/counted.ts';
import type { FieldChange } from './fieldElement.ts';
import './fieldElement.ts';
import { type JsonObject, sameJson } from '../../base/json.ts';
import { type Field, fieldsOf, matches, otherFields, searchWords } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
import { requestView } from './requestView.ts';
import { otherValues, sendableValues, withOtherValues } from './values.ts';

export type Tab = 'parameters' | 'request';

const tabs: readonly (readonly [Tab, string])[] = [
  ['parameters', 'Parameters'],
  ['request', 'Request'],
];

/**
 * `<mg-parameters>`: the side sheet that sets what goes into a request beside the conversation. It opens as it
 * enters the page; take it out on `close`, when the focus is back where it came from. Fires `change` with all
 * the values that are set (a JSON object), `preview` when the request is about to be looked at, and
 * `copy-request`. Values other than those it fired last replace what stands in the form, unfinished text
 * included: do not send it old ones back.
 */
export class ParametersElement extends LightElement.with({
  /** The JSON Schema of the request without the fields of the conversation. */
  schema: property<JsonSchema>({}),
  values: property<JsonObject>({}),
  requestJson: property(''),
  omitted: property<readonly string[]>([]),
  /** The initial tab; does not fire `preview`. */
  tab: property<Tab>('parameters'),
  search: state(''),
  /** The valid input. `values` holds the part that may be sent. */
  entered: state<JsonObject>({}),
  /** The fields listed as set. No field moves while the focus is among the fields. */
  atTop: state<ReadonlySet<Field>>(new Set()),
  announcement: state(''),
}) {
  #fields: readonly Field[] = [];
  #other = otherFields([]);
  #fired: JsonObject | undefined;
  #generation = 0;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('schema')) {
      this.#fields = fieldsOf(this.schema);
      this.#other = otherFields(this.#fields);
    }
    if (changed.has('schema') || (changed.has('values') && !sameJson(this.values, this.#fired))) {
      this.#startWith(this.values);
    }
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    if (this.tab === 'request') this.#focusTab();
  }

  protected override render(): TemplateResult {
    return html`
      <dialog
        class="sheet"
        aria-label="Parameters"
        closedby="any"
        @close=${() => this.dispatchEvent(new CustomEvent('close'))}
        @change=${(event: Event) => event.stopPropagation()}
        @keydown=${keepEscape}
      >
        <div class="sheet-head">
          <div class="tabs" role="tablist" aria-label="Parameters and request" @keydown=${this.#onTabKey}>
            ${tabs.map(([tab, label]) => this.#tabButton(tab, label))}
          </div>
          <span class="spacer"></span>
          <button type="button" class="icon-button" title="Close (Esc)" aria-label="Close" @click=${() => this.#close()}>
            <span class="codicon codicon-close" aria-hidden="true"></span>
          </button>
        </div>
        <div class="panel" id="panel-parameters" role="tabpanel" aria-labelledby="tab-parameters" ?hidden=${this.tab !== 'parameters'}>
          ${this.#form()}
        </div>
        <div class="panel" id="panel-request" role="tabpanel" aria-labelledby="tab-request" ?hidden=${this.tab !== 'request'}>
          ${requestView(this.requestJson, this.omitted, (event) => this.#copy(event))}
        </div>
        <div class="visually-hidden" role="status">${this.announcement}</div>
      </dialog>
    `;
  }

  #tabButton(tab: Tab, label: string): TemplateResult {
    const selected = this.tab === tab;
    return html`
      <button
        type="button"
        class="tab"
        role="tab"
        id="tab-${tab}"
        aria-controls="panel-${tab}"
        aria-selected=${selected}
        tabindex=${selected ? 0 : -1}
        @click=${() => this.#show(tab)}
      >
        ${label}
      </button>
    `;
  }

  #form(): TemplateResult {
    return html`
      <div class="form-tools">
        <input
          class="box"
          type="text"
          role="searchbox"
          placeholder="Search parameters"
          aria-label="Search parameters"
          spellcheck="false"
          autofocus
          .value=${this.search}
          @input=${this.#onSearch}
        />
        <button type="button" class="button secondary" @click=${() => this.#resetAll()}>Reset All</button>
      </div>
      <div class="fields" @field-change=${this.#onFieldChange} @focusout=${this.#onFocusOut}>
        ${repeat(
          this.#rows(),
          (row) => (typeof row === 'string' ? row : `${this.#generation} ${row.path.join('.')}`),
          (row) => (typeof row === 'string' ? this.#heading(row) : this.#fieldRow(row)),
        )}
      </div>
    `;
  }

  /** Headings and fields in one list, so that a field keeps its input when it moves. */
  #rows(): readonly (Field | 'set' | 'unset' | 'none')[] {
    const all = [...this.#fields, this.#other];
    const unset = all.filter((field) => !this.atTop.has(field));
    return ['set', ...all.filter((field) => this.atTop.has(field)), 'unset', ...unset, 'none'];
  }

  #heading(section: 'set' | 'unset' | 'none'): TemplateResult {
    const all = [...this.#fields, this.#other];
    const found = all.filter((field) => this.#isFound(field));
    if (section === 'none') {
      return html`<p class="none-found" ?hidden=${found.length > 0}>No parameter matches. Add it as JSON under Other fields.</p>`;
    }
    const inSection = found.some((field) => this.atTop.has(field) === (section === 'set'));
    const searching = this.search.trim() !== '';
    const count = Object.keys(this.values).length;
    return html`
      <h2 class="section" ?hidden=${!inSection && (searching || section === 'unset')}>
        ${section === 'set' ? `Set (${count})` : 'Not set'}
        ${section === 'set' ? html`<span class="section-note">Only these are sent.</span>` : nothing}
      </h2>
    `;
  }

  #fieldRow(field: Field): TemplateResult {
    return html`
      <mg-field .field=${field} .value=${this.#valueOf(field)} .words=${searchWords(this.search)} ?hidden=${!this.#isFound(field)}></mg-field>
    `;
  }

  #isFound(field: Field): boolean {
    return matches(field, searchWords(this.search));
  }

  #valueOf(field: Field): unknown {
    if (field !== this.#other) return this.entered[field.name];
    const others = otherValues(this.#fields, this.entered);
    return Object.keys(others).length > 0 ? others : undefined;
  }

  #onSearch(event: InputEvent): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.search = event.target.value;
    const found = this.#fields.filter((field) => this.#isFound(field)).length;
    this.announcement = `${found} of ${counted(this.#fields.length, 'parameter')}`;
  }

  #onFieldChange(event: CustomEvent<FieldChange>): void {
    event.stopPropagation();
    const { field, value } = event.detail;
    this.entered =
      field === this.#other
        ? withOtherValues(this.#fields, this.entered, value)
        : withValue(this.entered, field.path, value);
    this.#fire();
  }

  #fire(): void {
    const values = sendableValues(this.#fields, this.entered);
    if (sameJson(values, this.values)) return;
    this.#fired = values;
    this.values = values;
    this.dispatchEvent(new CustomEvent('change', { detail: values }));
  }

  #resetAll(): void {
    this.#startWith({});
    this.announcement = 'All parameters are reset';
    this.#fire();
  }

  #startWith(values: JsonObject): void {
    this.entered = values;
    this.#generation += 1;
    this.#arrange();
  }

  #arrange(): void {
    const set = [...this.#fields, this.#other].filter((field) => this.#valueOf(field) !== undefined);
    this.atTop = new Set(set);
  }

  #onFocusOut({ currentTarget, relatedTarget }: FocusEvent): void {
    const left = relatedTarget instanceof Node && currentTarget instanceof Node;
    if (left && !currentTarget.contains(relatedTarget)) this.#arrange();
  }

  #show(tab: Tab): void {
    if (this.tab === tab) return;
    this.tab = tab;
    if (tab === 'request') this.dispatchEvent(new CustomEvent('preview'));
  }

  #onTabKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    this.#show(this.tab === 'request' ? 'parameters' : 'request');
    this.#focusTab();
  }

  #focusTab(): void {
    this.querySelector<HTMLElement>(`#tab-${this.tab}`)?.focus();
  }

  #copy({ currentTarget }: Event): void {
    this.dispatchEvent(new CustomEvent('copy-request'));
    this.announcement = 'Copied';
    if (!(currentTarget instanceof HTMLElement)) return;
    showCopied(currentTarget, () => {
      this.announcement = '';
    });
  }

  #close(): void {
    this.querySelector('dialog')?.close();
  }
}

/** Keeps Escape from doing more than closing the sheet, such as stopping a reply. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}

customElements.define('mg-parameters', ParametersElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-parameters': ParametersElement;
  }
}
