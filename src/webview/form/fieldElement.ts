import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { isObject } from '../../base/json.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { type Problem, problemWords } from '../words/problems.ts';
import { type ControlState, choiceView, controlView, fitSegments, otherOption } from './controlViews.ts';
import { type Control, type Field, matches, matchesItself, type Option } from './fields.ts';
import { controlPicker, groupButton, problemView, resetButton } from './fieldViews.ts';
import { controlFor, fits, hintFor, type Reading, readTyped, typedFor } from './typed.ts';
import { groupProblem, sendableValue } from './values.ts';

/** The value of one field changed; undefined when it is no longer set. */
export interface FieldChange {
  readonly field: Field;
  readonly value: unknown;
}

/**
 * `<mg-field>`: one field with its label, control, help and reset button. What is typed belongs to the
 * element from its first update on, valid or not; to show another value, make a new one. Fires
 * `field-change`, which bubbles, with what was typed as soon as it is valid, and with undefined while it is not;
 * and `submit`, which bubbles, when the user is done with a prompt.
 */
export class FieldElement extends LightElement.with({
  field: property<Field>(),
  value: property<unknown>(),
  /** Among many in a sheet, a field keeps its place whatever is wrong; on a page few stand with room for choices. */
  layout: property<'sheet' | 'page'>('sheet'),
  /** What the host says is wrong with the value, if anything. */
  problem: property<string | undefined>(),
  /** What is searched for: a group shows the members that match. */
  words: property<readonly string[]>([]),
  control: state<Control>(),
  typed: state(''),
  /** Something stands in a number box that the browser cannot read, and does not tell. */
  unreadable: state(false),
  opened: state(false),
  resets: state(0),
}) {
  focusControl(): void {
    const found =
      this.querySelector<HTMLElement>(`#${CSS.escape(this.#id)}`) ??
      this.querySelector<HTMLElement>('input:checked') ??
      this.querySelector('input');
    found?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.hasUpdated || !changed.has('field')) return;
    this.control = controlFor(this.field, this.value);
    this.typed = typedFor(this.control, this.value);
    this.opened = this.value !== undefined;
  }

  protected override render(): TemplateResult {
    return this.layout === 'page' ? this.#onPage() : this.#inSheet();
  }

  #onPage(): TemplateResult {
    const { help } = this.field;
    const found = this.#reading.problem;
    const problem = found ? problemWords(found) : this.problem;
    return html`
      <div class="field">
        ${this.#head()}
        ${this.#controls(`${this.#id}-problem ${this.#id}-help`, problem !== undefined)}
        ${problem === undefined ? nothing : problemView(`${this.#id}-problem`, problem)}
        ${help === '' ? nothing : html`<p class="field-help" id="${this.#id}-help">${help}</p>`}
      </div>
    `;
  }

  #inSheet(): TemplateResult {
    const problem = this.#problem;
    const set = sendableValue(this.field, this.value) !== undefined;
    return html`
      <div class="field ${set ? 'set' : ''}">
        ${this.#head()}
        <p class="field-help" id="${this.#id}-help">${this.field.help}</p>
        ${this.#controls(`${this.#id}-help ${this.#id}-note`, problem !== undefined)}
        ${this.#note(problem)}
        ${this.control.kind === 'group' ? this.#members(this.control.fields) : nothing}
      </div>
    `;
  }

  #head(): TemplateResult {
    return html`
      <div class="field-head">
        ${this.control.kind === 'group' ? groupButton(this.field, this.#group) : this.#label()}
        ${this.layout === 'sheet' && this.field.controls.length > 1 ? this.#picker() : nothing}
        ${resetButton(this.field, this.value !== undefined || this.typed !== '' || this.unreadable, () => this.#reset())}
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
      current: this.control,
      wouldHide: (control) => this.#wouldHide(control),
      pick: (control) => this.#pick(control),
    });
  }

  #controls(describedBy: string, invalid: boolean): TemplateResult | typeof nothing {
    const controlState: ControlState = {
      id: this.#id,
      describedBy,
      typed: this.typed,
      invalid,
      onInput: (event) => this.#onInput(event),
      onKey: (event) => this.#onKey(event),
    };
    const [choice] = this.field.controls;
    if (this.layout === 'page' && choice.kind === 'choice') {
      const state = {
        other: this.#isOther,
        onChoose: (option: Option) => this.#choose(JSON.stringify(option.value)),
        onOther: () => this.#chooseOther(),
        onOtherClick: () => void this.#goToOther(),
      };
      const label = `Other ${this.field.name}`;
      return html`
        ${choiceView(choice, { ...controlState, ...state })}
        ${this.#isOther ? this.#control({ ...controlState, id: this.#otherId, label }) : nothing}
      `;
    }
    return this.#control(controlState);
  }

  #control(controlState: ControlState): TemplateResult | typeof nothing {
    return this.control.kind === 'group' ? nothing : controlView(this.control, controlState);
  }

  /** The line that says what may be typed, or why it does not count. It keeps its place when there is neither. */
  #note(problem: Problem | undefined): TemplateResult {
    const words =
      problem === undefined ? hintFor(this.field, this.control) : `Not set: ${problemWords(problem)}`;
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
      this.opened = !isOpen;
    };
    return { id: this.#id, isOpen, toggle };
  }

  get #otherId(): string {
    return `${this.#id}-other`;
  }

  /** A value is typed that is none of the choices. */
  get #isOther(): boolean {
    return this.control !== this.field.controls[0];
  }

  /** A search that finds members of a group, not the group itself, opens it. */
  get #isOpen(): boolean {
    return this.opened || !matchesItself(this.field, this.words);
  }

  get #problem(): Problem | undefined {
    return this.control.kind === 'group' ? groupProblem(this.field, this.value) : this.#reading.problem;
  }

  get #reading(): Reading {
    // Whatever the browser does not tell, it is no number.
    return readTyped(this.field, this.control, this.unreadable ? 'unreadable' : this.typed);
  }

  /** Fields would not show all that stands in the JSON box. */
  #wouldHide(control: Control): boolean {
    if (control.kind !== 'group' || this.control.kind === 'group') return false;
    return (
      this.#problem !== undefined || (this.value !== undefined && !fits(this.field, control, this.value))
    );
  }

  #onInput({ target }: Event): void {
    if (target instanceof HTMLSelectElement) {
      if (target.value === otherOption) this.#chooseOther();
      else this.#choose(target.value);
    } else if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
      this.unreadable = target.validity.badInput;
      this.typed = target.value;
      this.#tell();
    }
  }

  /** In a prompt this says that it is written; anywhere else nothing does. */
  #onKey(event: KeyboardEvent): void {
    const isPrompt = this.control.kind === 'text' && this.control.style === 'prompt';
    const isDeliberate = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isPrompt || !isDeliberate || event.repeat || event.isComposing) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('submit', { bubbles: true }));
  }

  #choose(typed: string): void {
    [this.control] = this.field.controls;
    this.typed = typed;
    this.unreadable = false;
    this.#tell();
  }

  #chooseOther(): void {
    if (this.#isOther) return;
    this.control = this.field.controls.at(-1) ?? this.control;
    this.typed = typedFor(this.control, this.value);
  }

  async #goToOther(): Promise<void> {
    this.#chooseOther();
    await this.updateComplete;
    this.querySelector<HTMLElement>(`#${CSS.escape(this.#otherId)}`)?.focus();
  }

  #pick(control: Control): void {
    const value = this.control.kind === 'group' ? sendableValue(this.field, this.value) : this.#reading.value;
    // A text that the new control cannot show as a value stays as it is, for the user to change.
    const kept = value !== undefined && fits(this.field, control, value);
    if (kept || this.control.kind === 'group') this.typed = typedFor(control, value);
    this.control = control;
    this.unreadable = false;
    if (control.kind === 'group') this.opened = true;
    else this.#tell();
  }

  #reset(): void {
    if (this.layout === 'page') [this.control] = this.field.controls;
    this.typed = '';
    this.unreadable = false;
    this.resets += 1;
    // What the browser cannot read is not in `typed`, and would stay.
    for (const box of this.querySelectorAll<HTMLInputElement>('input.box')) box.value = '';
    this.focusControl();
    this.#change(undefined);
  }

  #tell(): void {
    this.#change(this.#reading.value);
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
