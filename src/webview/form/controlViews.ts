import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { leaveOnWheel } from '../parts/wheel.ts';
import type { ChoiceControl, Control, NumberControl, Option, TextControl } from './fields.ts';
import type { JsonSchema } from './jsonSchema.ts';

/** What stands in a control, and what happens to it. */
export interface ControlState {
  readonly id: string;
  /** Ids of what describes it, separated by spaces. */
  readonly describedBy: string;
  /** What a screen reader calls it, where no label of the page does. */
  readonly label?: string;
  readonly typed: string;
  readonly invalid: boolean;
  readonly onInput: (event: Event) => void;
  readonly onKey?: (event: KeyboardEvent) => void;
}

/** The choices of a control that has another one beside them. */
export interface ChoiceState extends ControlState {
  /** The other control is in use. */
  readonly other: boolean;
  readonly onChoose: (option: Option) => void;
  readonly onOther: () => void;
  /** The other control was clicked, not reached by a key on the way to something else. */
  readonly onOtherClick: () => void;
}

/** The value of the list's entry for what is none of its options. Options are JSON, which this is not. */
export const otherOption = 'other';

const other = 'Other…';

/** More choices, or longer words, than fit side by side stand in a list. */
const maxSegments = 5;
const maxSegmentLetters = 24;

export function controlView(
  control: Exclude<Control, { kind: 'group' }>,
  state: ControlState,
): TemplateResult {
  if (control.kind === 'choice') return listView(control, state, false);
  if (control.kind === 'number') return numberView(control, state);
  return control.kind === 'text' && control.style !== undefined
    ? textView(control, state)
    : codeView(control.kind, state);
}

/** Choices side by side where they fit, else in a list; with the other control among them. */
export function choiceView(control: ChoiceControl, state: ChoiceState): TemplateResult {
  return fitSegments(control) ? segmentsView(control, state) : listView(control, state, state.other);
}

/** Whether choices fit side by side. */
export function fitSegments({ options, open }: ChoiceControl): boolean {
  const labels = [...options.map(({ label }) => label), ...(open ? [other] : [])];
  return labels.length <= maxSegments && labels.join('').length <= maxSegmentLetters;
}

function segmentsView({ options, open }: ChoiceControl, state: ChoiceState): TemplateResult {
  return html`
    <div
      class="segments"
      role="radiogroup"
      aria-labelledby="${state.id}-name"
      aria-describedby=${state.describedBy}
      aria-invalid=${state.invalid}
    >
      ${options.map((option) => {
        const checked = !state.other && state.typed === JSON.stringify(option.value);
        return segmentView(state.id, option.label, checked, () => state.onChoose(option));
      })}
      ${open ? segmentView(state.id, other, state.other, state.onOther, state.onOtherClick) : nothing}
    </div>
  `;
}

function segmentView(
  name: string,
  label: string,
  checked: boolean,
  choose: () => void,
  click?: () => void,
): TemplateResult {
  return html`
    <label class="segment" @click=${({ detail: clicks }: MouseEvent) => (clicks > 0 ? click?.() : undefined)}>
      <input type="radio" name=${name} .checked=${live(checked)} @change=${choose} />
      <span>${label}</span>
    </label>
  `;
}

function listView({ options, open }: ChoiceControl, state: ControlState, isOther: boolean): TemplateResult {
  const selected = (value: string) => live(!isOther && state.typed === value);
  return html`
    <select id=${state.id} class="box" aria-describedby=${state.describedBy} aria-invalid=${state.invalid} @input=${state.onInput}>
      <option value="" .selected=${selected('')}>Not set</option>
      ${options.map(({ label, value }) => {
        const typed = JSON.stringify(value);
        return html`<option value=${typed} .selected=${selected(typed)}>${label}</option>`;
      })}
      ${open || isOther ? html`<option value=${otherOption} .selected=${live(isOther)}>${other}</option>` : nothing}
    </select>
  `;
}

function numberView({ schema }: NumberControl, state: ControlState): TemplateResult {
  return html`
    <input
      id=${state.id}
      class="box"
      type="number"
      placeholder="Not set"
      min=${schema.minimum ?? nothing}
      max=${schema.maximum ?? nothing}
      step=${stepOf(schema)}
      aria-label=${state.label ?? nothing}
      aria-describedby=${state.describedBy}
      aria-invalid=${state.invalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
      @wheel=${leaveOnWheel}
    />
  `;
}

function textView({ style }: TextControl, state: ControlState): TemplateResult {
  if (style === 'word') {
    return html`
      <input
        id=${state.id}
        class="box"
        aria-label=${state.label ?? nothing}
        aria-describedby=${state.describedBy}
        aria-invalid=${state.invalid}
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
      placeholder=${style === 'prompt' ? 'Describe what to make' : 'Not set'}
      aria-describedby=${state.describedBy}
      aria-invalid=${state.invalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
      @keydown=${state.onKey}
    ></textarea>
  `;
}

/** Text that is no prose: words of an API, a list of them, JSON. */
function codeView(kind: 'text' | 'list' | 'json', state: ControlState): TemplateResult {
  return html`
    <textarea
      id=${state.id}
      class="box ${kind}"
      placeholder="Not set"
      spellcheck="false"
      aria-describedby=${state.describedBy}
      aria-invalid=${state.invalid}
      .value=${live(state.typed)}
      @input=${state.onInput}
    ></textarea>
  `;
}

/** How far an arrow key goes: a tenth where the whole range is a few units; anything where no type is given. */
function stepOf({ type, minimum = -Infinity, maximum = Infinity }: JsonSchema): number | 'any' {
  if (type === undefined) return 'any';
  return type === 'integer' || maximum - minimum > 10 ? 1 : 0.1;
}
