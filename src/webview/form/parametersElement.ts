import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type JsonObject, sameJson } from '../../base/json.ts';
import { withValue } from '../../base/nestedValues.ts';
import { tellCopied } from '../parts/actions.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { counted } from '../words/counted.ts';
import { commonFieldsOf, commonNameOf, isShown } from './commonFields.ts';
import type { FieldChange } from './fieldElement.ts';
import './fieldElement.ts';
import { type Field, fieldsOf, matches, otherFields, searchWords } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
import { type KeptView, keptTools, resetTool } from './keptTools.ts';
import { requestView } from './requestView.ts';
import { sheetHead, type Tab } from './sheetHead.ts';
import { otherValues, sendableValues, withOtherValues } from './values.ts';

/** A common parameter that the form changed; an undefined value takes it out. */
export interface CommonChange {
  readonly name: string;
  readonly value: unknown;
}

/** The common parameters of a form. */
export interface CommonForm {
  /** JSON Schema of those that the API format takes. */
  readonly schema: JsonSchema;
  readonly values: JsonObject;
  /** Names of those that are set, and that this API format does not take. */
  readonly unused: readonly string[];
  readonly kept: KeptView;
}

type Heading = 'common' | 'set' | 'unset' | 'none';

/**
 * `<mg-parameters>`: the side sheet that sets what goes into a request beside the conversation. It opens as it
 * enters the page; take it out on `close`, when the focus is back where it came from. Fires `change` with all
 * the values that are set (a JSON object), `preview` when the request is about to be looked at, and
 * `copy-request`. Values other than those it fired last replace what stands in the form, unfinished text
 * included: do not send it old ones back.
 *
 * With a common form it stands beside the page instead of over it, begins with the common parameters, fires
 * `common-change` with each change of one, and `tool` with the name of what a button does.
 */
export class ParametersElement extends LightElement.with({
  /** The JSON Schema of the request without the fields of the conversation. */
  schema: property<JsonSchema>({}),
  values: property<JsonObject>({}),
  common: property<CommonForm | undefined>(),
  requestJson: property(''),
  omitted: property<readonly string[]>([]),
  /** The initial tab; does not fire `preview`. */
  tab: property<Tab>('parameters'),
  search: state(''),
  /** The valid input. `values` holds the part that may be sent. */
  entered: state<JsonObject>({}),
  enteredCommon: state<JsonObject>({}),
  /** Whether anything was typed, valid or not. */
  touched: state(false),
  /** The fields listed as set. No field moves while the focus is among the fields. */
  atTop: state<ReadonlySet<Field>>(new Set()),
  announcement: state(''),
}) {
  #fields: readonly Field[] = [];
  #commonFields: readonly Field[] = [];
  #other = otherFields({});
  #fired: JsonObject | undefined;
  #generation = 0;
  #opener: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#opener = document.activeElement;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('common');
    const isOther = changed.has('schema') || this.common?.values !== (before ?? this.common)?.values;
    if (changed.has('schema')) {
      this.#fields = fieldsOf(this.schema);
      this.#other = otherFields(this.schema);
    }
    if (changed.has('common')) this.#commonFields = commonFieldsOf(this.common?.schema ?? {});
    if (isOther || (changed.has('values') && !sameJson(this.values, this.#fired))) {
      this.#startWith(this.values);
    }
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    if (this.tab === 'request') this.#focusTab();
    else if (this.common) this.#focusSearch();
  }

  protected override render(): TemplateResult {
    if (!this.common) {
      return html`
        <dialog
          class="sheet"
          aria-label="Parameters"
          closedby="any"
          @close=${() => this.dispatchEvent(new CustomEvent('close'))}
          @change=${(event: Event) => event.stopPropagation()}
          @keydown=${keepEscape}
        >
          ${this.#content()}
        </dialog>
      `;
    }
    return html`
      <aside
        class="sheet"
        aria-label="Parameters"
        @change=${(event: Event) => event.stopPropagation()}
        @keydown=${this.#onBesideKey}
      >
        ${this.#content()}
      </aside>
    `;
  }

  #content(): TemplateResult {
    return html`
      ${sheetHead(this.tab, {
        onShow: (tab) => this.#show(tab),
        onKey: (event) => this.#onTabKey(event),
        onClose: () => this.#close(),
      })}
      <div class="panel" id="panel-parameters" role="tabpanel" aria-labelledby="tab-parameters" ?hidden=${this.tab !== 'parameters'}>
        ${this.#form()}
        ${this.common ? keptTools(this.common.kept, this.#isSet, (tool) => this.#use(tool)) : nothing}
      </div>
      <div class="panel" id="panel-request" role="tabpanel" aria-labelledby="tab-request" ?hidden=${this.tab !== 'request'}>
        ${requestView(this.requestJson, this.omitted, (event) => this.#copy(event))}
      </div>
      <div class="visually-hidden" role="status">${this.announcement}</div>
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
        ${resetTool(this.common?.kept.wasReset === true && !this.#isSet, this.#isSet || this.touched, {
          reset: () => this.#resetAll(),
          undo: () => this.#use('undo-reset'),
        })}
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
  #rows(): readonly (Field | Heading)[] {
    const all = [...this.#fields, this.#other];
    const set = all.filter((field) => this.atTop.has(field));
    const unset = all.filter((field) => !this.atTop.has(field));
    return ['common', ...this.#commonFields, 'set', ...set, 'unset', ...unset, 'none'];
  }

  #heading(heading: Heading): TemplateResult | typeof nothing {
    if (heading === 'common') return this.common ? this.#commonHeading(this.common.unused) : nothing;
    const found = [...this.#fields, this.#other].filter((field) => this.#isFound(field));
    if (heading === 'none') {
      const none = found.length === 0 && !this.#commonFields.some((field) => this.#isFound(field));
      return html`<p class="none-found" ?hidden=${!none}>No parameter matches. Add it as JSON under Other fields.</p>`;
    }
    const inSection = found.some((field) => this.atTop.has(field) === (heading === 'set'));
    const mayBeEmpty = heading === 'set' && this.search.trim() === '' && !this.common;
    const count = Object.keys(this.values).length;
    const unset = this.common ? 'More' : 'Not set';
    return html`
      <h2 class="section" ?hidden=${!inSection && !mayBeEmpty}>
        ${heading === 'set' ? `Set (${count})` : unset}
        ${heading === 'set' ? html`<span class="section-note">Only these are sent.</span>` : nothing}
      </h2>
    `;
  }

  #commonHeading(unused: readonly string[]): TemplateResult {
    const found = this.#commonFields.some((field) => this.#isFound(field));
    return html`
      <h2 class="section" ?hidden=${!found}>
        Common <span class="section-note">Kept when the API format changes.</span>
      </h2>
      ${unused.length === 0 ? nothing : html`<p class="section-note unused">Not sent in this API format: ${unused.join(', ')}.</p>`}
    `;
  }

  #fieldRow(field: Field): TemplateResult {
    return html`
      <mg-field .field=${field} .value=${this.#valueOf(field)} .words=${searchWords(this.search)} ?hidden=${!this.#isFound(field)}></mg-field>
    `;
  }

  #isFound(field: Field): boolean {
    return isShown(field, this.enteredCommon) && matches(field, searchWords(this.search));
  }

  #isCommon(field: Field): boolean {
    return this.#commonFields.includes(field);
  }

  #valueOf(field: Field): unknown {
    if (this.#isCommon(field)) return this.enteredCommon[commonNameOf(field)];
    if (field !== this.#other) return this.entered[field.name];
    const others = otherValues(this.#fields, this.entered);
    return Object.keys(others).length > 0 ? others : undefined;
  }

  get #isSet(): boolean {
    return Object.keys(this.values).length > 0 || Object.keys(this.enteredCommon).length > 0;
  }

  #onSearch(event: InputEvent): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.search = event.target.value;
    const all = [...this.#commonFields, ...this.#fields];
    const found = all.filter((field) => this.#isFound(field)).length;
    this.announcement = `${found} of ${counted(all.length, 'parameter')}`;
  }

  #onFieldChange(event: CustomEvent<FieldChange>): void {
    event.stopPropagation();
    const { field, value } = event.detail;
    this.touched = true;
    if (this.#isCommon(field)) this.#changeCommon(commonNameOf(field), value);
    else this.#changeField(field, value);
  }

  #changeField(field: Field, value: unknown): void {
    this.entered =
      field === this.#other
        ? withOtherValues(this.#fields, this.entered, value)
        : withValue(this.entered, field.path, value);
    this.#fire();
  }

  #changeCommon(name: string, value: unknown): void {
    if (sameJson(this.enteredCommon[name], value)) return;
    this.enteredCommon = withValue(this.enteredCommon, [name], value);
    const detail: CommonChange = { name, value };
    this.dispatchEvent(new CustomEvent('common-change', { detail }));
  }

  #fire(): void {
    const values = sendableValues(this.#fields, this.entered);
    if (sameJson(values, this.values)) return;
    this.#fired = values;
    this.values = values;
    this.dispatchEvent(new CustomEvent('change', { detail: values }));
  }

  /** The host resets common parameters with all others, and sends what is left. */
  #resetAll(): void {
    this.announcement = 'All parameters are reset';
    this.#focusSearch();
    if (this.common) this.#use('reset');
    else {
      this.#startWith({});
      this.#fire();
    }
  }

  #use(tool: string): void {
    this.dispatchEvent(new CustomEvent('tool', { detail: tool }));
  }

  #startWith(values: JsonObject): void {
    this.entered = values;
    this.enteredCommon = this.common?.values ?? {};
    this.touched = false;
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

  #focusSearch(): void {
    this.querySelector<HTMLElement>('[role="searchbox"]')?.focus();
  }

  #focusTab(): void {
    this.querySelector<HTMLElement>(`#tab-${this.tab}`)?.focus();
  }

  #copy({ currentTarget }: Event): void {
    this.dispatchEvent(new CustomEvent('copy-request'));
    if (!(currentTarget instanceof HTMLElement)) return;
    tellCopied(currentTarget, (words) => {
      this.announcement = words;
    });
  }

  #onBesideKey(event: KeyboardEvent): void {
    keepEscape(event);
    if (event.key === 'Escape' && !event.isComposing) this.#close();
  }

  #close(): void {
    const dialog = this.querySelector('dialog');
    if (dialog) dialog.close();
    else this.#closeBeside();
  }

  #closeBeside(): void {
    const hadFocus = this.contains(document.activeElement);
    if (hadFocus && this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
    this.dispatchEvent(new CustomEvent('close'));
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
