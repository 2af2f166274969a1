import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { FieldChoice, GenerateField } from '../../protocol/generatePage.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { leaveOnWheel } from '../parts/wheel.ts';

/** The value of one field changed; undefined when it is no longer set. */
export interface FieldEdit {
  readonly field: GenerateField;
  readonly value: unknown;
}

/** More choices, or longer words, than fit side by side stand in a list. */
const maxSegments = 5;
const maxSegmentLetters = 24;

const onAndOff: readonly Segment[] = [
  { label: 'On', value: true },
  { label: 'Off', value: false },
];

interface Segment {
  readonly label: string;
  readonly value: unknown;
}

/**
 * `<mg-form-field>`: one field with its label, control, help and reset button. What is entered belongs to the
 * element from its first update on; to show another value, make a new one. Fires `edit`, which bubbles.
 */
export class FormFieldElement extends LightElement.with({
  field: property<GenerateField>(),
  value: property<unknown>(),
  /** What is wrong with the value, if anything. */
  problem: property<string | undefined>(),
  /** The value is typed instead of chosen. */
  other: state(false),
  /** What stands in a box: not always the shortest way to write the value. */
  typed: state(''),
  /** Something stands in a number box that the browser cannot read, and does not tell. */
  unreadable: state(false),
}) {
  focusControl(): void {
    const control =
      this.querySelector<HTMLElement>('input:checked') ?? this.querySelector('textarea, select, input');
    if (control instanceof HTMLElement) control.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (this.hasUpdated || !changed.has('field')) return;
    this.other = this.value !== undefined && !this.#choices.some(({ value }) => value === this.value);
    this.typed = textOf(this.value);
    this.unreadable = false;
  }

  protected override render(): TemplateResult {
    const { label, help } = this.field;
    const set = this.value !== undefined || this.unreadable;
    const problem = this.unreadable ? 'This is not a number.' : this.problem;
    return html`
      <div class="form-field">
        <div class="form-field-head">
          ${this.#segments ? html`<span class="form-field-name" id="${this.#id}-name">${label}</span>` : html`<label class="form-field-name" for=${this.#id}>${label}</label>`}
          <button type="button" class="icon-button ${set ? '' : 'absent'}" title="Reset ${label}" aria-label="Reset ${label}" @click=${() => this.#reset()}>
            <span class="codicon codicon-discard" aria-hidden="true"></span>
          </button>
        </div>
        ${this.#control(problem !== undefined)}
        ${problem === undefined ? nothing : html`<p class="form-problem" id="${this.#id}-problem"><span class="codicon codicon-error" aria-hidden="true"></span><span>${problem}</span></p>`}
        ${help === '' ? nothing : html`<p class="form-field-help" id="${this.#id}-help">${help}</p>`}
      </div>
    `;
  }

  #control(invalid: boolean): TemplateResult {
    const { control, choices } = this.field;
    if (this.#segments) return this.#segmentGroup(this.#segments, invalid);
    if (control === 'choice' && choices) return this.#list(choices, invalid);
    if (control === 'number') return this.#numberBox(this.#id, invalid, nothing);
    return html`
      <textarea
        id=${this.#id}
        class="box"
        rows="1"
        placeholder=${control === 'prompt' ? 'Describe what to make' : 'Not set'}
        aria-describedby=${this.#described}
        aria-invalid=${invalid}
        .value=${live(this.typed)}
        @input=${this.#onType}
        @keydown=${this.#onKey}
      ></textarea>
    `;
  }

  #segmentGroup(segments: readonly Segment[], invalid: boolean): TemplateResult {
    return html`
      <div
        class="segments"
        role="radiogroup"
        aria-labelledby="${this.#id}-name"
        aria-describedby=${this.#described}
        aria-invalid=${invalid}
      >
        ${segments.map(({ label, value }) => this.#segment(label, !this.other && this.value === value, () => this.#choose(value)))}
        ${this.field.open ? this.#segment('Other…', this.other, () => this.#chooseOther(), this.#clickOther) : nothing}
      </div>
      ${this.other ? this.#typedBox(invalid) : nothing}
    `;
  }

  #segment(
    label: string,
    checked: boolean,
    choose: () => void,
    click?: (event: MouseEvent) => void,
  ): TemplateResult {
    return html`
      <label class="segment" @click=${click}>
        <input type="radio" name=${this.#id} .checked=${live(checked)} @change=${choose} />
        <span>${label}</span>
      </label>
    `;
  }

  #list(choices: readonly FieldChoice[], invalid: boolean): TemplateResult {
    return html`
      <select id=${this.#id} class="box" aria-describedby=${this.#described} aria-invalid=${invalid} @change=${this.#onPick}>
        <option .selected=${live(!this.other && this.value === undefined)}>Not set</option>
        ${choices.map(({ label, value }) => html`<option .selected=${live(!this.other && this.value === value)}>${label}</option>`)}
        ${this.field.open || this.other ? html`<option .selected=${live(this.other)}>Other…</option>` : nothing}
      </select>
      ${this.other ? this.#typedBox(invalid) : nothing}
    `;
  }

  /** Where a value is typed that is none of the choices. */
  #typedBox(invalid: boolean): TemplateResult {
    const label = `Other ${this.field.label}`;
    if (this.#isNumeric) return this.#numberBox(`${this.#id}-other`, invalid, label);
    return html`
      <input
        class="box typed"
        aria-label=${label}
        aria-describedby=${this.#described}
        aria-invalid=${invalid}
        spellcheck="false"
        .value=${live(this.typed)}
        @input=${this.#onType}
      />
    `;
  }

  #numberBox(id: string, invalid: boolean, label: string | typeof nothing): TemplateResult {
    const { minimum, maximum } = this.field;
    return html`
      <input
        id=${id}
        class="box typed"
        type="number"
        step="any"
        placeholder="Not set"
        min=${minimum ?? nothing}
        max=${maximum ?? nothing}
        aria-label=${label}
        aria-describedby=${this.#described}
        aria-invalid=${invalid}
        .value=${live(this.typed)}
        @input=${this.#onNumber}
        @wheel=${leaveOnWheel}
      />
    `;
  }

  get #id(): string {
    return `field-${this.field.path.join('.')}`;
  }

  get #described(): string {
    return `${this.#id}-problem ${this.#id}-help`;
  }

  get #choices(): readonly Segment[] {
    if (this.field.control === 'switch') return onAndOff;
    return this.field.control === 'choice' ? (this.field.choices ?? []) : [];
  }

  /** The choices, where they fit side by side. */
  get #segments(): readonly Segment[] | undefined {
    const labels = [...this.#choices.map(({ label }) => label), ...(this.field.open ? ['Other…'] : [])];
    const fit = labels.length <= maxSegments && labels.join('').length <= maxSegmentLetters;
    return this.#choices.length > 0 && fit ? this.#choices : undefined;
  }

  get #isNumeric(): boolean {
    return this.#choices.every(({ value }) => typeof value === 'number');
  }

  #choose(value: unknown): void {
    this.other = false;
    this.#change(value);
  }

  #chooseOther(): void {
    this.typed = textOf(this.value);
    this.other = true;
  }

  /** Whoever clicks wants to type; whoever goes there by key may be on the way to another choice. */
  async #clickOther({ detail: clicks }: MouseEvent): Promise<void> {
    if (clicks === 0) return;
    this.#chooseOther();
    await this.updateComplete;
    this.querySelector<HTMLElement>('.typed')?.focus();
  }

  #onPick({ target }: Event): void {
    if (!(target instanceof HTMLSelectElement)) return;
    const index = target.selectedIndex - 1;
    const choice = this.#choices[index];
    if (index < 0 || choice) this.#choose(choice?.value);
    else this.#chooseOther();
  }

  #onType({ target }: Event): void {
    if (!(target instanceof HTMLInputElement) && !(target instanceof HTMLTextAreaElement)) return;
    this.typed = target.value;
    this.#change(this.typed === '' ? undefined : this.typed);
  }

  #onNumber({ target }: Event): void {
    if (!(target instanceof HTMLInputElement)) return;
    this.typed = target.value;
    this.#change(this.typed === '' ? undefined : Number(this.typed));
    this.unreadable = target.validity.badInput;
  }

  /** In a prompt this is the same as a click on Generate; anywhere else nothing is. */
  #onKey(event: KeyboardEvent): void {
    const deliberate = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (this.field.control !== 'prompt' || !deliberate || event.repeat || event.isComposing) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('generate', { bubbles: true }));
  }

  #reset(): void {
    // What the browser cannot read is not in `value` and would stay.
    for (const box of this.querySelectorAll<HTMLInputElement>('.typed')) box.value = '';
    this.other = false;
    this.typed = '';
    this.#change(undefined);
    this.focusControl();
  }

  #change(value: unknown): void {
    this.value = value;
    this.unreadable = false;
    const detail: FieldEdit = { field: this.field, value };
    this.dispatchEvent(new CustomEvent('edit', { detail, bubbles: true }));
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

customElements.define('mg-form-field', FormFieldElement);
