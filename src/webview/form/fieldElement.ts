import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { isObject } from '../../base/json.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import { describeProblem, type PageProblem } from '../words/problemWords.ts';
import {
  type ControlState,
  canShowSideBySide,
  otherOption,
  renderChoice,
  renderControl,
} from './controlViews.ts';
import {
  convertEntry,
  createChoiceEntry,
  createFieldEntry,
  createOtherEntry,
  describeValidInput,
  type FieldEntry,
  findEntryProblem,
  readEntry,
  wouldHide,
} from './fieldEntry.ts';
import { renderControlPicker, renderGroupButton, renderProblem, renderResetButton } from './fieldViews.ts';
import { type Control, type Field, matchesItself, matchesSearch, type Option } from './formFields.ts';
import { pickSendableValue } from './sendableValues.ts';

/** A change of the value of a field; undefined when the field is no longer set. */
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
  /** In a `sheet` a field reserves space for problems; on a `page` it may show choices side by side. */
  layout: property<'sheet' | 'page'>('sheet'),
  /** The host's problem with the value, if any. */
  problem: property<string | undefined>(),
  /** A short note next to the name, on a page. */
  aside: property<string | undefined>(),
  /** The words of the search. A group shows its matching members. */
  words: property<readonly string[]>([]),
  entry: state<FieldEntry>(),
  /** Whether the group is open, regardless of the search. */
  isOpened: state(false),
  /** How often the field was reset: the members of a group are then created again. */
  resetCount: state(0),
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
    this.entry = createFieldEntry(this.field, this.value);
    this.isOpened = this.value !== undefined;
  }

  protected override render(): TemplateResult {
    return this.layout === 'page' ? this.#renderOnPage() : this.#renderInSheet();
  }

  #renderOnPage(): TemplateResult {
    const { help } = this.field;
    const ownProblem = readEntry(this.field, this.entry).problem;
    const problem = ownProblem ? describeProblem(ownProblem) : this.problem;
    return html`
      <div class="field" title=${help === '' ? nothing : help}>
        ${this.#renderHead()}
        ${this.#renderControls(`${this.#id}-problem ${this.#id}-aside ${this.#id}-help`, problem !== undefined)}
        ${problem === undefined ? nothing : renderProblem(`${this.#id}-problem`, problem)}
        ${help === '' ? nothing : html`<span class="visually-hidden" id="${this.#id}-help">${help}</span>`}
      </div>
    `;
  }

  #renderInSheet(): TemplateResult {
    const { control } = this.entry;
    const problem = findEntryProblem(this.field, this.entry, this.value);
    const isSet = pickSendableValue(this.field, this.value) !== undefined;
    return html`
      <div class="field ${isSet ? 'set' : ''}">
        ${this.#renderHead()}
        <p class="field-help" id="${this.#id}-help">${this.field.help}</p>
        ${this.#renderControls(`${this.#id}-help ${this.#id}-note`, problem !== undefined)}
        ${this.#renderNote(problem)}
        ${control.kind === 'group' ? this.#renderMembers(control.fields) : nothing}
      </div>
    `;
  }

  #renderHead(): TemplateResult {
    const { control, typed, isUnreadable } = this.entry;
    const isSet = this.value !== undefined || typed !== '' || isUnreadable === true;
    return html`
      <div class="field-head">
        ${control.kind === 'group' ? renderGroupButton(this.field, this.#groupState) : this.#renderLabel()}
        ${this.aside === undefined ? nothing : html`<span class="field-aside" id="${this.#id}-aside">${this.aside}</span>`}
        ${this.layout === 'sheet' && this.field.controls.length > 1 ? this.#renderPicker() : nothing}
        ${renderResetButton(this.field, isSet, () => this.#reset())}
      </div>
    `;
  }

  #renderLabel(): TemplateResult {
    const [first] = this.field.controls;
    const isLabelled = this.layout === 'page' && first.kind === 'choice' && canShowSideBySide(first);
    return isLabelled
      ? html`<span class="field-name" id="${this.#id}-name">${this.field.name}</span>`
      : html`<label class="field-name" for=${this.#id}>${this.field.name}</label>`;
  }

  #renderPicker(): TemplateResult {
    return renderControlPicker(this.field, {
      current: this.entry.control,
      wouldHide: (control) => wouldHide(control, this.field, this.entry, this.value),
      pick: (control) => this.#pickControl(control),
    });
  }

  #renderControls(describedBy: string, isInvalid: boolean): TemplateResult | typeof nothing {
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
        onChoose: (option: Option) => this.#chooseOption(JSON.stringify(option.value)),
        onOther: () => this.#chooseOther(),
        onOtherClick: () => void this.#focusOther(),
      };
      const label = t('Other {0}', this.field.name);
      return html`
        ${renderChoice(choice, { ...controlState, ...state })}
        ${this.#isOther ? this.#renderControl({ ...controlState, id: this.#otherId, label }) : nothing}
      `;
    }
    return this.#renderControl(controlState);
  }

  #renderControl(controlState: ControlState): TemplateResult | typeof nothing {
    const { control } = this.entry;
    return control.kind === 'group' ? nothing : renderControl(control, controlState);
  }

  /** Renders the line with the hint or the problem. Its space is reserved when it is empty. */
  #renderNote(problem: PageProblem | undefined): TemplateResult {
    const text =
      problem === undefined
        ? describeValidInput(this.field, this.entry.control)
        : t('Not set: {0}', describeProblem(problem));
    return html`
      <p class="field-note ${problem === undefined ? '' : 'problem'}" id="${this.#id}-note" aria-live="polite">${text}</p>
    `;
  }

  #renderMembers(fields: readonly Field[]): TemplateResult {
    const values = isObject(this.value) ? this.value : {};
    const words = matchesItself(this.field, this.words) ? [] : this.words;
    return html`
      <div class="members" id="${this.#id}-members" role="group" aria-label=${this.field.name} ?hidden=${!this.#isOpen}>
        ${repeat(
          fields,
          ({ name }) => `${this.resetCount} ${name}`,
          (field) =>
            html`<mg-field .field=${field} .value=${values[field.name]} .words=${words} ?hidden=${!matchesSearch(field, words)}></mg-field>`,
        )}
      </div>
    `;
  }

  get #id(): string {
    return `field-${this.field.path.join('.')}`;
  }

  get #groupState() {
    const isOpen = this.#isOpen;
    const toggle = () => {
      this.isOpened = !isOpen;
    };
    return { id: this.#id, isOpen, toggle };
  }

  get #otherId(): string {
    return `${this.#id}-other`;
  }

  /** Whether the control for other values is in use, instead of the choices. */
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
      else this.#chooseOption(target.value);
    } else if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
      this.#setEntry({ ...this.entry, typed: target.value, isUnreadable: target.validity.badInput });
    }
  }

  /** Submits a prompt on its key; does nothing in other fields. */
  #onKey(event: KeyboardEvent): void {
    const { control } = this.entry;
    const isPrompt = control.kind === 'text' && control.style === 'prompt';
    const isSubmitKey = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isPrompt || !isSubmitKey || event.repeat || event.isComposing) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('submit', { bubbles: true }));
  }

  #chooseOption(typed: string): void {
    this.#setEntry(createChoiceEntry(this.field, typed));
  }

  #chooseOther(): void {
    if (!this.#isOther) this.entry = createOtherEntry(this.field, this.value);
  }

  async #focusOther(): Promise<void> {
    this.#chooseOther();
    await this.updateComplete;
    this.querySelector<HTMLElement>(`#${CSS.escape(this.#otherId)}`)?.focus();
  }

  #pickControl(control: Control): void {
    const entry = convertEntry(control, this.field, this.entry, this.value);
    if (control.kind === 'group') {
      this.entry = entry;
      this.isOpened = true;
    } else this.#setEntry(entry);
  }

  #reset(): void {
    const control = this.layout === 'page' ? this.field.controls[0] : this.entry.control;
    this.entry = { control, typed: '' };
    this.resetCount += 1;
    // Text that the browser cannot parse is not in the entry, and would remain in the box.
    for (const box of this.querySelectorAll<HTMLInputElement>('input.box')) box.value = '';
    this.focusControl();
    this.#fireChange(undefined);
  }

  #setEntry(entry: FieldEntry): void {
    this.entry = entry;
    this.#fireChange(readEntry(this.field, entry).value);
  }

  #fireChange(value: unknown): void {
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
