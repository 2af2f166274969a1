import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { sameJson } from '../../base/json.ts';
import { valueAt, withValue } from '../../base/nestedValues.ts';
import type {
  FormProblem,
  Frame,
  GenerateForm,
  GenerateState,
  GenerateTarget,
} from '../../protocol/generatePage.ts';
import { type FieldChange, FieldElement } from '../form/fieldElement.ts';
import type { Field } from '../form/fields.ts';
import { LightElement, property } from '../parts/lightElement.ts';
import { countSet, restOf } from './body.ts';
import { countStepper } from './countStepper.ts';
import { formField } from './formFields.ts';
import { FrameWellElement } from './frameWell.ts';
import { frameProblemOf, otherProblems, problemAt } from './problems.ts';

/** The edited field and the new body. */
export interface FormEdit {
  readonly path: readonly string[];
  readonly values: GenerateForm['values'];
}

/**
 * `<mg-generate-form>`: the form. Fires `values` (a FormEdit), `count` (a number) and `generate`. Values
 * other than those it fired last replace the input.
 */
export class GenerateFormElement extends LightElement.with({
  target: property<GenerateTarget>(),
  form: property<GenerateForm>(),
  pictures: property<GenerateState['pictures']>(),
  problems: property<readonly FormProblem[]>(),
  /** Why nothing can be generated now. */
  obstacle: property<string | undefined>(),
  /** Whether a submission awaits the host's answer. */
  sending: property<boolean>(),
}) {
  #fields: readonly Field[] = [];
  #entered: GenerateForm['values'] | undefined;
  #generation = 0;

  focusPrompt(): void {
    const at = this.form.fields.findIndex(({ control }) => control === 'prompt');
    this.#fieldElements[Math.max(0, at)]?.focusControl();
  }

  focusGenerate(): void {
    this.querySelector<HTMLElement>('button.generate')?.focus();
  }

  /** Focuses the first field with a problem. */
  focusProblem(): void {
    const places = [...this.#fieldElements, ...this.#wells];
    places.find(({ problem }) => problem !== undefined)?.focusControl();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('form')) return;
    const before = changed.get('form');
    if (before?.fields !== this.form.fields) this.#fields = this.form.fields.map(formField);
    if (this.form.values === this.#entered) return;
    if (before && sameJson([before.fields, before.values], [this.form.fields, this.form.values])) return;
    this.#generation += 1;
  }

  protected override render(): TemplateResult {
    return html`
      <div class="form-fields" @field-change=${this.#onFieldChange} @submit=${this.#onSubmit}>
        ${repeat(
          this.#fields,
          ({ path }) => `${this.#generation} ${path.join('.')}`,
          (field) => html`
            <mg-field
              class=${field.controls[0].kind === 'text' ? 'wide' : nothing}
              .layout=${'page'}
              .field=${field}
              .value=${valueAt(this.form.values, field.path)}
              .problem=${problemAt(field.path, this.problems)?.problem}
            ></mg-field>
          `,
        )}
        ${this.target.frames.map((frame) => this.#well(frame))}
      </div>
      ${this.#otherProblems()}
      <div class="form-actions">
        ${this.#generateButton()}
        ${countStepper(this.form.count, (count) => this.#fire('count', count))}
        <span class="spacer"></span>
        ${this.#moreButtons()}
      </div>
    `;
  }

  #well(frame: Frame): TemplateResult {
    return html`
      <mg-frame-well
        .frame=${frame}
        .image=${this.pictures[frame]}
        .problem=${frameProblemOf(frame, this.problems)?.problem}
      ></mg-frame-well>
    `;
  }

  #otherProblems(): TemplateResult | typeof nothing {
    const others = otherProblems(this.#paths, this.target.frames, this.problems);
    if (others.length === 0) return nothing;
    return html`
      <ul class="form-problems" aria-label="Problems">
        ${others.map(
          ({ path, problem }) => html`
            <li class="form-problem">
              <span class="codicon codicon-error" aria-hidden="true"></span>
              <span>${path.length === 0 ? nothing : html`<code>${path.join('.')}</code>: `}${problem}</span>
            </li>
          `,
        )}
      </ul>
    `;
  }

  #generateButton(): TemplateResult {
    const { count } = this.form;
    const reason = this.obstacle ?? `Generate (${commandKey}+Enter in the prompt)`;
    return html`
      <button type="button" class="button generate" title=${reason} aria-disabled=${this.obstacle !== undefined} @click=${this.#onGenerateClick} @keydown=${stopRepeats}>
        <span class="codicon codicon-${this.sending ? 'loading codicon-modifier-spin' : 'sparkle'}" aria-hidden="true"></span>
        ${count === 1 ? 'Generate' : `Generate ${count}`}
      </button>
    `;
  }

  #moreButtons(): TemplateResult {
    const set = countSet(this.form.rest, restOf(this.#paths, this.form.values));
    return html`
      <button type="button" class="model-button" aria-haspopup="dialog" data-action="open-parameters">
        <span class="codicon codicon-settings" aria-hidden="true"></span>
        More${set === 0 ? nothing : ` (${set})`}
      </button>
      <button type="button" class="model-button" aria-haspopup="dialog" data-action="open-request">
        <span class="codicon codicon-json" aria-hidden="true"></span>
        Request as JSON
      </button>
    `;
  }

  get #paths(): readonly (readonly string[])[] {
    return this.#fields.map(({ path }) => path);
  }

  get #fieldElements(): readonly FieldElement[] {
    return [...this.querySelectorAll('mg-field')].filter((found) => found instanceof FieldElement);
  }

  get #wells(): readonly FrameWellElement[] {
    return [...this.querySelectorAll('mg-frame-well')].filter((found) => found instanceof FrameWellElement);
  }

  #onFieldChange({ detail: { field, value } }: CustomEvent<FieldChange>): void {
    this.#entered = withValue(this.form.values, field.path, value);
    this.form = { ...this.form, values: this.#entered };
    this.#fire('values', { path: field.path, values: this.#entered } satisfies FormEdit);
  }

  /** Ignores the second click of a double click. */
  #onGenerateClick({ detail: clicks }: MouseEvent): void {
    if (clicks <= 1) this.#generate();
  }

  #onSubmit(event: Event): void {
    event.stopPropagation();
    this.#generate();
  }

  #generate(): void {
    if (this.obstacle === undefined) this.#fire('generate');
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Treats a key that is held down as one click. */
function stopRepeats(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}

const commandKey = /Mac/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

customElements.define('mg-generate-form', GenerateFormElement);
