import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { t } from '../words/l10n.ts';
import type { ChoiceControl, Control, NumberControl, Option, TextControl } from './formFields.ts';

/** The text of a control and its event handlers. */
export interface ControlState {
  readonly id: string;
  /** The ids of its descriptions, separated by spaces. */
  readonly describedBy: string;
  /** Its name for screen readers, if the page has no label. */
  readonly label?: string;
  readonly typed: string;
  readonly isInvalid: boolean;
  readonly onInput: (event: Event) => void;
  readonly onKey?: (event: KeyboardEvent) => void;
}

/** The state of choices that may also offer another control. */
interface ChoiceState extends ControlState {
  /** Whether the other control is in use. */
  readonly usesOther: boolean;
  readonly onChoose: (option: Option) => void;
  readonly onOther: () => void;
  /** Called when the other control was clicked, not when it was selected with a key. */
  readonly onOtherClick: () => void;
}

/** The value of the list entry for other values. Unlike the values of the options, it is not JSON. */
export const otherOption = 'other';

const otherLabel = t('Other…');

/** The maximum number of choices that are shown side by side. More or longer choices are shown as a list. */
const maxSegments = 5;
const maxSegmentLetters = 24;

/** Renders the control of a field in the sheet, or the control for other values on a page. */
export function renderControl(
  control: Exclude<Control, { kind: 'group' }>,
  state: ControlState,
): TemplateResult {
  if (control.kind === 'choice') return renderSelect(control, state, false);
  if (control.kind === 'number') return renderNumberBox(control, state);
  return control.kind === 'text' && control.style !== undefined
    ? renderTextBox(control, state)
    : renderCodeBox(control.kind, state);
}

/** Renders choices side by side if they fit, otherwise as a list, with an entry for the other control. */
export function renderChoice(control: ChoiceControl, state: ChoiceState): TemplateResult {
  return canShowSideBySide(control)
    ? renderSegments(control, state)
    : renderSelect(control, state, state.usesOther);
}

/** Whether the choices of a control fit side by side. */
export function canShowSideBySide({ options, allowsOther }: ChoiceControl): boolean {
  const labels = [...options.map(({ label }) => label), ...(allowsOther ? [otherLabel] : [])];
  return labels.length <= maxSegments && labels.join('').length <= maxSegmentLetters;
}

/** Blurs a number field on wheel events, so that they scroll the page and do not change the number. */
export function blurOnWheel({ currentTarget }: WheelEvent): void {
  if (currentTarget instanceof HTMLElement) currentTarget.blur();
}

function renderSegments({ options, allowsOther }: ChoiceControl, state: ChoiceState): TemplateResult {
  return html`
    <div
      class="segments"
      role="radiogroup"
      aria-labelledby="${state.id}-name"
      aria-describedby=${state.describedBy}
      aria-invalid=${state.isInvalid}
    >
      ${options.map((option) => {
        const isChecked = !state.usesOther && state.typed === JSON.stringify(option.value);
        return renderSegment(state.id, option.label, isChecked, () => state.onChoose(option));
      })}
      ${allowsOther ? renderSegment(state.id, otherLabel, state.usesOther, state.onOther, state.onOtherClick) : nothing}
    </div>
  `;
}

function renderSegment(
  name: string,
  label: string,
  isChecked: boolean,
  choose: () => void,
  click?: () => void,
): TemplateResult {
  return html`
    <label class="segment" @click=${({ detail: clicks }: MouseEvent) => (clicks > 0 ? click?.() : undefined)}>
      <input type="radio" name=${name} .checked=${live(isChecked)} @change=${choose} />
      <span>${label}</span>
    </label>
  `;
}

function renderSelect(
  { options, allowsOther }: ChoiceControl,
  state: ControlState,
  isOther: boolean,
): TemplateResult {
  const selected = (value: string) => live(!isOther && state.typed === value);
  return html`
    <select id=${state.id} class="box" aria-describedby=${state.describedBy} aria-invalid=${state.isInvalid} @input=${state.onInput}>
      <option value="" .selected=${selected('')}>${t('Not set')}</option>
      ${options.map(({ label, value }) => {
        const typed = JSON.stringify(value);
        return html`<option value=${typed} .selected=${selected(typed)}>${label}</option>`;
      })}
      ${allowsOther || isOther ? html`<option value=${otherOption} .selected=${live(isOther)}>${otherLabel}</option>` : nothing}
    </select>
  `;
}

function renderNumberBox({ schema }: NumberControl, state: ControlState): TemplateResult {
  return html`
    <input
      id=${state.id}
      class="box"
      type="number"
      placeholder=${t('Not set')}
      min=${schema.minimum ?? nothing}
      max=${schema.maximum ?? nothing}
      step=${chooseStep(schema)}
      aria-label=${state.label ?? nothing}
      aria-describedby=${state.describedBy}
      aria-invalid=${state.isInvalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
      @wheel=${blurOnWheel}
    />
  `;
}

function renderTextBox({ style }: TextControl, state: ControlState): TemplateResult {
  if (style === 'word') {
    return html`
      <input
        id=${state.id}
        class="box"
        aria-label=${state.label ?? nothing}
        aria-describedby=${state.describedBy}
        aria-invalid=${state.isInvalid}
        spellcheck="false"
        .value=${live(state.typed)}
        @input=${state.onInput}
      />
    `;
  }
  return html`
    <textarea
      id=${state.id}
      class="box ${style}"
      placeholder=${style === 'prompt' ? t('Describe the video') : t('Not set')}
      aria-describedby=${state.describedBy}
      aria-invalid=${state.isInvalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
      @keydown=${state.onKey}
    ></textarea>
  `;
}

/** Renders a control for text that is not prose: names, lists of names, JSON. */
function renderCodeBox(kind: 'text' | 'list' | 'json', state: ControlState): TemplateResult {
  return html`
    <textarea
      id=${state.id}
      class="box ${kind}"
      placeholder=${t('Not set')}
      spellcheck="false"
      aria-describedby=${state.describedBy}
      aria-invalid=${state.isInvalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
    ></textarea>
  `;
}

/** Returns the step of an arrow key: 0.1 if the whole range is a few units; `any` if the schema has no type. */
function chooseStep({ type, minimum = -Infinity, maximum = Infinity }: JsonSchema): number | 'any' {
  if (type === undefined) return 'any';
  return type === 'integer' || maximum - minimum > 10 ? 1 : 0.1;
}
