import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { isObject } from '../../base/json.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { leaveOnWheel } from '../parts/wheel.ts';
import { type Control, type Field, matches, matchesItself } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';
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
 * `field-change`, which bubbles, with what was typed as soon as it is valid, and with undefined while it is not.
 */
export class FieldElement extends LightElement.with({
  field: property<Field>(),
  value: property<unknown>(),
  /** What is searched for: a group shows the members that match. */
  words: property<readonly string[]>(),
  control: state<Control>(),
  typed: state(''),
  /** Something stands in a number box that the browser cannot read, and does not tell. */
  unreadable: state(false),
  opened: state(false),
  resets: state(0),
}) {
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.hasUpdated || !changed.has('field')) return;
    this.control = controlFor(this.field, this.value);
    this.typed = typedFor(this.control, this.value);
    this.unreadable = false;
    this.opened = this.value !== undefined;
    this.resets = 0;
  }

  protected override render(): TemplateResult {
    const problem = this.#problem;
    const set = sendableValue(this.field, this.value) !== undefined;
    return html`
      <div class="field ${set ? 'set' : ''}">
        <div class="field-head">
          ${this.control.kind === 'group' ? this.#groupButton() : this.#label()}
          ${this.field.controls.length > 1 ? this.#controlPicker() : nothing}
          ${this.#resetButton(this.value !== undefined || this.typed !== '' || this.unreadable)}
        </div>
        <p class="field-help" id="${this.#id}-help">${this.field.help}</p>
        ${this.control.kind === 'group' ? nothing : this.#box(this.control, problem !== undefined)}
        ${this.#note(problem)}
        ${this.control.kind === 'group' ? this.#members(this.control.fields) : nothing}
      </div>
    `;
  }

  #label(): TemplateResult {
    return html`<label class="field-name" for=${this.#id}>${this.field.name}</label>`;
  }

  #groupButton(): TemplateResult {
    return html`
      <button
        type="button"
        class="field-name group-button"
        id=${this.#id}
        aria-expanded=${this.#isOpen}
        aria-controls="${this.#id}-members"
        aria-describedby="${this.#id}-help ${this.#id}-note"
        @click=${() => this.#toggle()}
      >
        <span class="codicon codicon-chevron-${this.#isOpen ? 'down' : 'right'}" aria-hidden="true"></span>
        ${this.field.name}
      </button>
    `;
  }

  #controlPicker(): TemplateResult {
    return html`
      <select class="control-picker" aria-label="Edit ${this.field.name} as" @input=${this.#onPick}>
        ${this.field.controls.map(
          (control) => html`
            <option .selected=${live(control === this.control)} ?disabled=${this.#wouldHide(control)}>
              ${controlNames[control.kind]}
            </option>
          `,
        )}
      </select>
    `;
  }

  #resetButton(shown: boolean): TemplateResult {
    const label = `Reset ${this.field.name}`;
    return html`
      <button type="button" class="icon-button reset ${shown ? '' : 'absent'}" title=${label} aria-label=${label} @click=${() => this.#reset()}>
        <span class="codicon codicon-discard" aria-hidden="true"></span>
      </button>
    `;
  }

  #box(control: Exclude<Control, { kind: 'group' }>, invalid: boolean): TemplateResult {
    const described = `${this.#id}-help ${this.#id}-note`;
    if (control.kind === 'choice') {
      return html`
        <select id=${this.#id} class="box" aria-describedby=${described} aria-invalid=${invalid} @input=${this.#onInput}>
          <option value="" .selected=${live(this.typed === '')}>Not set</option>
          ${control.options.map(({ label, value }) => {
            const typed = JSON.stringify(value);
            return html`<option value=${typed} .selected=${live(this.typed === typed)}>${label}</option>`;
          })}
        </select>
      `;
    }
    if (control.kind === 'number') {
      const { minimum, maximum } = control.schema;
      return html`
        <input
          id=${this.#id}
          class="box"
          type="number"
          placeholder="Not set"
          min=${minimum ?? nothing}
          max=${maximum ?? nothing}
          step=${stepOf(control.schema)}
          aria-describedby=${described}
          aria-invalid=${invalid}
          .value=${live(this.typed)}
          @input=${this.#onInput}
          @wheel=${leaveOnWheel}
        />
      `;
    }
    return html`
      <textarea
        id=${this.#id}
        class="box ${control.kind}"
        placeholder="Not set"
        spellcheck="false"
        aria-describedby=${described}
        aria-invalid=${invalid}
        .value=${live(this.typed)}
        @input=${this.#onInput}
      ></textarea>
    `;
  }

  /** The line that says what may be typed, or why it does not count. It keeps its place when there is neither. */
  #note(problem: string | undefined): TemplateResult {
    const words = problem === undefined ? hintFor(this.field, this.control) : `Not set: ${problem}`;
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
    return `parameter-${this.field.path.join('.')}`;
  }

  /** A search that finds members of a group, not the group itself, opens it. */
  get #isOpen(): boolean {
    return this.opened || !matchesItself(this.field, this.words);
  }

  get #problem(): string | undefined {
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

  #toggle(): void {
    this.opened = !this.#isOpen;
  }

  #onInput(event: InputEvent): void {
    if (
      !(event.target instanceof HTMLInputElement) &&
      !(event.target instanceof HTMLTextAreaElement) &&
      !(event.target instanceof HTMLSelectElement)
    ) {
      return;
    }
    this.unreadable = event.target.validity.badInput;
    if (!this.unreadable) this.typed = event.target.value;
    this.#tell();
  }

  #onPick(event: InputEvent): void {
    const control =
      event.target instanceof HTMLSelectElement && this.field.controls[event.target.selectedIndex];
    if (!control) return;
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
    this.typed = '';
    this.unreadable = false;
    this.resets += 1;
    const box = this.querySelector<HTMLElement>(`[id="${this.#id}"]`);
    if (box instanceof HTMLInputElement) box.value = '';
    box?.focus();
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

const controlNames: Readonly<Record<Control['kind'], string>> = {
  choice: 'Choice',
  number: 'Number',
  text: 'Text',
  list: 'List',
  group: 'Fields',
  json: 'JSON',
};

/** How far an arrow key goes: a tenth where the whole range is a few units. */
function stepOf({ type, minimum = -Infinity, maximum = Infinity }: JsonSchema): number {
  return type === 'integer' || maximum - minimum > 10 ? 1 : 0.1;
}

customElements.define('mg-field', FieldElement);
