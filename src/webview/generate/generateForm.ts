import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { sameJson } from '../../base/json.ts';
import { valueAt, withValue } from '../../base/nestedValues.ts';
import type {
  FormProblem,
  FramePosition,
  GenerateForm,
  GenerateState,
  GenerateTarget,
} from '../../protocol/generatePage.ts';
import { type FieldChange, FieldElement } from '../form/fieldElement.ts';
import type { Field } from '../form/formFields.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import {
  countSetValues,
  findExcluded,
  findFrameProblem,
  findProblem,
  findSetInstead,
  getFieldLabel,
  listOtherProblems,
  pickChanges,
  removePaths,
} from './fieldPaths.ts';
import { FrameDropZone } from './frameDropZone.ts';
import { createFormField } from './generateFields.ts';
import {
  moreFieldsId,
  priceId,
  renderCountStepper,
  renderGenerateButton,
  renderMoreButtons,
  renderProblemList,
  renderRemark,
} from './generateFormViews.ts';

/** An edit of a field. */
export interface FormEdit {
  readonly path: readonly string[];
  /** The paths that the edit cleared, because it excludes them. */
  readonly excluded: readonly (readonly string[])[];
  /** The whole body after the edit. */
  readonly values: GenerateForm['values'];
}

/**
 * `<mg-generate-form>`: the form of the Generate page. Fires `values` (a FormEdit), `count` (a number) and
 * `generate`. Values other than the last fired ones replace the input.
 */
export class GenerateFormElement extends LightElement.with({
  target: property<GenerateTarget>(),
  form: property<GenerateForm>(),
  pictures: property<GenerateState['pictures']>(),
  problems: property<readonly FormProblem[]>(),
  /** The cost of the next click, as text; may be empty. */
  price: property<string>(),
  /** Why nothing can be generated now. */
  obstacle: property<string | undefined>(),
  /** Whether a submission is waiting for the host's response. */
  isSending: property<boolean>(),
  isMoreOpen: state(false),
}) {
  #mainFields: readonly Field[] = [];
  #rareFields: readonly Field[] = [];
  /** The values of the last `values` event. */
  #firedValues: GenerateForm['values'] | undefined;
  /** A number that changes when other values replace the input. */
  #generation = 0;
  /** How often each field was cleared because another one was set, by its path. */
  readonly #clearCounts = new Map<string, number>();

  focusPrompt(): void {
    const isPrompt = ({ controls: [first] }: Field) => first.kind === 'text' && first.style === 'prompt';
    this.#fieldElements[Math.max(0, this.#mainFields.findIndex(isPrompt))]?.focusControl();
  }

  focusGenerate(): void {
    this.querySelector<HTMLElement>('button.generate')?.focus();
  }

  /** Focuses the first field with a problem. */
  focusProblem(): void {
    const controls = [...this.#fieldElements, ...this.#dropZones];
    controls.find(({ problem }) => problem !== undefined)?.focusControl();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('form')) this.#receiveForm(changed.get('form'));
    const hasRareProblem = this.#rareFields.some(
      ({ path }) => findProblem(path, this.problems) !== undefined,
    );
    if (changed.has('problems') && hasRareProblem) this.isMoreOpen = true;
  }

  protected override render(): TemplateResult {
    const { remark, count } = this.form;
    return html`
      ${remark === undefined ? nothing : renderRemark(remark)}
      <div @field-change=${this.#onFieldChange} @submit=${this.#onSubmit}>
        <div class="form-fields">
          ${this.#renderFields(this.#mainFields)}
          ${this.target.frames.length === 0 ? nothing : this.#renderDropZones()}
        </div>
        ${renderProblemList(listOtherProblems(this.#paths, this.target.frames, this.problems))}
        <div class="form-actions">
          ${renderGenerateButton(this.form.count, this.obstacle, this.isSending, this.#onGenerateClick)}
          ${renderCountStepper(count, (next) => this.#fire('count', next))}
          <span id=${priceId} class="form-price">${this.price}</span>
          <span class="spacer"></span>
          ${renderMoreButtons(this.#moreCount, this.isMoreOpen, () => {
            this.isMoreOpen = !this.isMoreOpen;
          })}
        </div>
        ${this.#renderMoreFields()}
      </div>
    `;
  }

  #renderFields(fields: readonly Field[]): unknown {
    return repeat(
      fields,
      ({ path }) => `${this.#generation} ${this.#clearCounts.get(path.join())} ${path.join('.')}`,
      (field) => html`
        <mg-field
          class=${field.controls[0].kind === 'text' ? 'wide' : nothing}
          .layout=${'page'}
          .field=${field}
          .value=${valueAt(this.form.values, field.path)}
          .aside=${this.#describeSetInstead(field)}
          .problem=${findProblem(field.path, this.problems)?.problem}
        ></mg-field>
      `,
    );
  }

  /** Returns a note for an unset field about the fields that are set instead of it. */
  #describeSetInstead({ path }: Field): string | undefined {
    const { exclusions, values, fields } = this.form;
    const labels = findSetInstead(path, exclusions, values).map((each) => getFieldLabel(each, fields));
    return labels.length === 0 ? undefined : t('instead of {0}', labels.join(t(', ')));
  }

  #renderDropZones(): TemplateResult {
    return html`<div class="frame-drop-zones">${this.target.frames.map((frame) => this.#renderDropZone(frame))}</div>`;
  }

  #renderMoreFields(): TemplateResult {
    return html`
      <div class="form-fields more-fields" id=${moreFieldsId} role="group" aria-label=${t('More')} ?hidden=${!this.isMoreOpen}>
        ${this.#renderFields(this.#rareFields)}
        <div class="wide">
          <button type="button" class="button secondary" aria-haspopup="dialog" data-action="open-parameters">
            ${t('All Parameters…')}
          </button>
        </div>
      </div>
    `;
  }

  #renderDropZone(frame: FramePosition): TemplateResult {
    return html`
      <mg-frame-drop-zone
        .frame=${frame}
        .image=${this.pictures[frame]}
        .problem=${findFrameProblem(frame, this.problems)?.problem}
      ></mg-frame-drop-zone>
    `;
  }

  #receiveForm(before: GenerateForm | undefined): void {
    const { fields } = this.form;
    if (before?.fields !== fields) {
      this.#mainFields = fields.filter(({ isRare }) => isRare !== true).map(createFormField);
      this.#rareFields = fields.filter(({ isRare }) => isRare === true).map(createFormField);
    }
    if (this.form.values === this.#firedValues) return;
    if (before && sameJson([before.fields, before.values], [this.form.fields, this.form.values])) return;
    this.#generation += 1;
  }

  /** The number of values under More that differ from the form's initial values. */
  get #moreCount(): number {
    const { values, defaults, rest } = this.form;
    const changedFields = this.#rareFields.filter(
      ({ path }) => !sameJson(valueAt(values, path), valueAt(defaults, path)),
    );
    return (
      changedFields.length + countSetValues(rest, removePaths(this.#paths, pickChanges(defaults, values)))
    );
  }

  get #paths(): readonly (readonly string[])[] {
    return [...this.#mainFields, ...this.#rareFields].map(({ path }) => path);
  }

  get #fieldElements(): readonly FieldElement[] {
    return [...this.querySelectorAll('mg-field')].filter((found) => found instanceof FieldElement);
  }

  get #dropZones(): readonly FrameDropZone[] {
    return [...this.querySelectorAll('mg-frame-drop-zone')].filter((found) => found instanceof FrameDropZone);
  }

  #onFieldChange({ detail: { field, value } }: CustomEvent<FieldChange>): void {
    const { values: before, exclusions } = this.form;
    const after = withValue(before, field.path, value);
    const excluded = findExcluded(exclusions, before, after);
    for (const path of excluded)
      this.#clearCounts.set(path.join(), (this.#clearCounts.get(path.join()) ?? 0) + 1);
    const values = removePaths(excluded, after);
    this.#firedValues = values;
    this.form = { ...this.form, values };
    this.#fire('values', { path: field.path, excluded, values } satisfies FormEdit);
  }

  /** Ignores the second click of a double click. */
  readonly #onGenerateClick = ({ detail: clicks }: MouseEvent): void => {
    if (clicks <= 1) this.#generate();
  };

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

customElements.define('mg-generate-form', GenerateFormElement);
