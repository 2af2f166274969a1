import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { isObject } from '../../base/json.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import { type PageProblem, pageProblemWords } from '../words/problemWords.ts';
import { type ControlState, choiceView, controlView, fitSegments, otherOption } from './controlViews.ts';
import {
  chosenEntry,
  entryFor,
  entryIn,
  entryProblem,
  type FieldEntry,
  otherEntry,
  readEntry,
  wouldHide,
} from './fieldEntry.ts';
import { controlPicker, groupButton, problemView, resetButton } from './fieldViews.ts';
import { type Control, type Field, matches, matchesItself, type Option } from './formFields.ts';
import { sendableValue } from './sendableValues.ts';
import { hintFor } from './typedValue.ts';

/** The value of one field changed; undefined when it is no longer set. */
export interface FieldChange {
  readonly field: Field;
  readonly value: unknown;
}

/**
 * `<mg-field>`: one field with its label, control, help and reset button. From its first update on, the element
 * owns the typed text, valid or not; create a new element to show another value. Fires `field-change`, which
 * bubbles, with the value as soon as the text is valid, and with undefined while it is not. Fires `submit`, which
 * bubbles, when the user completes a prompt.
 */
export class FieldElement extends LightElement.with({
  field: property<Field>(),
  value: property<unknown>(),
  /** In a `sheet` a field reserves space for problems; on a `page` it has room for choices. */
  layout: property<'sheet' | 'page'>('sheet'),
  /** The host's problem with the value, if any. */
  problem: property<string | undefined>(),
  /** A short note next to the name, on a page. */
  aside: property<string | undefined>(),
  /** The words of the search. A group shows its matching members. */
  words: property<readonly string[]>([]),
  entry: state<FieldEntry>(),
  isOpened: state(false),
  resets: state(0),
}) {
  focusControl(): void {
    const control =
      this.querySelector<HTMLElement>(`#${CSS.escape(this.#id)}`) ??
      this.querySelector<HTMLElement>('input:checked') ??
      this.querySelector('input');
    control?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.hasUpdated || !changed.has('field')) return;
    this.entry = entryFor(this.field, this.value);
    this.isOpened = this.value !== undefined;
  }

  protected override render(): TemplateResult {
    return this.layout === 'page' ? this.#onPage() : this.#inSheet();
  }

  #onPage(): TemplateResult {
    const { help } = this.field;
    const ownProblem = readEntry(this.field, this.entry).problem;
    const problem = ownProblem ? pageProblemWords(ownProblem) : this.problem;
    return html`
      <div class="field" title=${help === '' ? nothing : help}>
        ${this.#head()}
        ${this.#controls(`${this.#id}-problem ${this.#id}-aside ${this.#id}-help`, problem !== undefined)}
        ${problem === undefined ? nothing : problemView(`${this.#id}-problem`, problem)}
        ${help === '' ? nothing : html`<span class="visually-hidden" id="${this.#id}-help">${help}</span>`}
      </div>
    `;
  }

  #inSheet(): TemplateResult {
    const { control } = this.entry;
    const problem = entryProblem(this.field, this.entry, this.value);
    const set = sendableValue(this.field, this.value) !== undefined;
    return html`
      <div class="field ${set ? 'set' : ''}">
        ${this.#head()}
        <p class="field-help" id="${this.#id}-help">${this.field.help}</p>
        ${this.#controls(`${this.#id}-help ${this.#id}-note`, problem !== undefined)}
        ${this.#note(problem)}
        ${control.kind === 'group' ? this.#members(control.fields) : nothing}
      </div>
    `;
  }

  #head(): TemplateResult {
    const { control, typed, isUnreadable } = this.entry;
    const isSet = this.value !== undefined || typed !== '' || isUnreadable === true;
    return html`
      <div class="field-head">
        ${control.kind === 'group' ? groupButton(this.field, this.#group) : this.#label()}
        ${this.aside === undefined ? nothing : html`<span class="field-aside" id="${this.#id}-aside">${this.aside}</span>`}
        ${this.layout === 'sheet' && this.field.controls.length > 1 ? this.#picker() : nothing}
        ${resetButton(this.field, isSet, () => this.#reset())}
      </div>
    `;
  }

  #label(): TemplateResult {
    const [first] = this.field.controls;
    const isLabelled = this.layout === 'page' && first.kind === 'choice' && fitSegments(first);
    return isLabelled
      ? html`<span class="field-name" id="${this.#id}-name">${this.field.name}</span>`
      : html`<label class="field-name" for=${this.#id}>${this.field.name}</label>`;
  }

  #picker(): TemplateResult {
    return controlPicker(this.field, {
      current: this.entry.control,
      wouldHide: (control) => wouldHide(control, this.field, this.entry, this.value),
      pick: (control) => this.#pick(control),
    });
  }

  #controls(describedBy: string, isInvalid: boolean): TemplateResult | typeof nothing {
    const controlState: ControlState = {
      id: this.#id,
      describedBy,
      typed: this.entry.typed,
      isInvalid,
      onInput: (event) => this.#onInput(event),
      onKey: (event) => this.#onKey(event),
    };
    const [choice] = this.field.controls;
    if (this.layout === 'page' && choice.kind === 'choice') {
      const state = {
        usesOther: this.#isOther,
        onChoose: (option: Option) => this.#choose(JSON.stringify(option.value)),
        onOther: () => this.#chooseOther(),
        onOtherClick: () => void this.#goToOther(),
      };
      const label = t('Other {0}', this.field.name);
      return html`
        ${choiceView(choice, { ...controlState, ...state })}
        ${this.#isOther ? this.#control({ ...controlState, id: this.#otherId, label }) : nothing}
      `;
    }
    return this.#control(controlState);
  }

  #control(controlState: ControlState): TemplateResult | typeof nothing {
    const { control } = this.entry;
    return control.kind === 'group' ? nothing : controlView(control, controlState);
  }

  /** The line with the hint or the problem. It keeps its space when empty. */
  #note(problem: PageProblem | undefined): TemplateResult {
    const words =
      problem === undefined
        ? hintFor(this.field, this.entry.control)
        : t('Not set: {0}', pageProblemWords(problem));
    return html`
      <p class="field-note ${problem === undefined ? '' : 'problem'}" id="${this.#id}-note" aria-live="polite">${words}</p>
    `;
  }

  #members(fields: readonly Field[]): TemplateResult {
    const values = isObject(this.value) ? this.value : {};
    const words = matchesItself(this.field, this.words) ? [] : this.words;
    return html`
      <div class="members" id="${this.#id}-members" role="group" aria-label=${this.field.name} ?hidden=${!this.#isOpen}>
        ${repeat(
          fields,
          ({ name }) => `${this.resets} ${name}`,
          (field) =>
            html`<mg-field .field=${field} .value=${values[field.name]} .words=${words} ?hidden=${!matches(field, words)}></mg-field>`,
        )}
      </div>
    `;
  }

  get #id(): string {
    return `field-${this.field.path.join('.')}`;
  }

  get #group() {
    const isOpen = this.#isOpen;
    const toggle = () => {
      this.isOpened = !isOpen;
    };
    return { id: this.#id, isOpen, toggle };
  }

  get #otherId(): string {
    return `${this.#id}-other`;
  }

  /** Whether the value was typed and is not one of the choices. */
  get #isOther(): boolean {
    return this.entry.control !== this.field.controls[0];
  }

  /** Whether the group is open. A search that matches only its members opens it. */
  get #isOpen(): boolean {
    return this.isOpened || !matchesItself(this.field, this.words);
  }

  #onInput({ target }: Event): void {
    if (target instanceof HTMLSelectElement) {
      if (target.value === otherOption) this.#chooseOther();
      else this.#choose(target.value);
    } else if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
      this.#enter({ ...this.entry, typed: target.value, isUnreadable: target.validity.badInput });
    }
  }

  /** Submits a prompt on its key; does nothing in other fields. */
  #onKey(event: KeyboardEvent): void {
    const { control } = this.entry;
    const isPrompt = control.kind === 'text' && control.style === 'prompt';
    const isDeliberate = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isPrompt || !isDeliberate || event.repeat || event.isComposing) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('submit', { bubbles: true }));
  }

  #choose(typed: string): void {
    this.#enter(chosenEntry(this.field, typed));
  }

  #chooseOther(): void {
    if (!this.#isOther) this.entry = otherEntry(this.field, this.value);
  }

  async #goToOther(): Promise<void> {
    this.#chooseOther();
    await this.updateComplete;
    this.querySelector<HTMLElement>(`#${CSS.escape(this.#otherId)}`)?.focus();
  }

  #pick(control: Control): void {
    const entry = entryIn(control, this.field, this.entry, this.value);
    if (control.kind === 'group') {
      this.entry = entry;
      this.isOpened = true;
    } else this.#enter(entry);
  }

  #reset(): void {
    const control = this.layout === 'page' ? this.field.controls[0] : this.entry.control;
    this.entry = { control, typed: '' };
    this.resets += 1;
    // Text that the browser cannot parse is not in the entry, and would remain in the box.
    for (const box of this.querySelectorAll<HTMLInputElement>('input.box')) box.value = '';
    this.focusControl();
    this.#change(undefined);
  }

  #enter(entry: FieldEntry): void {
    this.entry = entry;
    this.#change(readEntry(this.field, entry).value);
  }

  #change(value: unknown): void {
    this.value = value;
    const detail: FieldChange = { field: this.field, value };
    this.dispatchEvent(new CustomEvent('field-change', { detail, bubbles: true }));
  }
}

customElements.define('mg-field', FieldElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-field': FieldElement;
  }
}
