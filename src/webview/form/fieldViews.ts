import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { t } from '../words/l10n.ts';
import type { Control, Field } from './formFields.ts';

const controlNames: Readonly<Record<Control['kind'], string>> = {
  choice: t('Choice'),
  number: t('Number'),
  text: t('Text'),
  list: t('List'),
  group: t('Fields'),
  json: 'JSON',
};

interface GroupState {
  /** The id of the button. */
  readonly id: string;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/** Renders the button with the name of a group, which opens and folds it. */
export function renderGroupButton({ name }: Field, { id, isOpen, toggle }: GroupState): TemplateResult {
  return html`
    <button
      type="button"
      class="field-name group-button"
      id=${id}
      aria-expanded=${isOpen}
      aria-controls="${id}-members"
      aria-describedby="${id}-help ${id}-note"
      @click=${toggle}
    >
      <span class="codicon codicon-chevron-${isOpen ? 'down' : 'right'}" aria-hidden="true"></span>
      ${name}
    </button>
  `;
}

interface PickerState {
  readonly current: Control;
  /** Returns whether a control would hide a part of the current value. */
  readonly wouldHide: (control: Control) => boolean;
  readonly pick: (control: Control) => void;
}

/** Renders the picker for the control of a field that has several. */
export function renderControlPicker(field: Field, { current, wouldHide, pick }: PickerState): TemplateResult {
  const onInput = ({ target }: Event) => {
    const control = target instanceof HTMLSelectElement && field.controls[target.selectedIndex];
    if (control) pick(control);
  };
  return html`
    <select class="control-picker" aria-label=${t('Edit {0} as', field.name)} @input=${onInput}>
      ${field.controls.map(
        (control) => html`
          <option .selected=${live(control === current)} ?disabled=${wouldHide(control)}>
            ${controlNames[control.kind]}
          </option>
        `,
      )}
    </select>
  `;
}

/** Renders the button that resets a field. Its space is reserved while the field is empty. */
export function renderResetButton({ name }: Field, isShown: boolean, reset: () => void): TemplateResult {
  const label = t('Reset {0}', name);
  return html`
    <button type="button" class="icon-button reset ${isShown ? '' : 'absent'}" title=${label} aria-label=${label} @click=${reset}>
      <span class="codicon codicon-discard" aria-hidden="true"></span>
    </button>
  `;
}

/** Renders the problem of a value, to be shown below its control. */
export function renderProblem(id: string, text: string): TemplateResult {
  return html`
    <p class="form-problem" id=${id}>
      <span class="codicon codicon-error" aria-hidden="true"></span><span>${text}</span>
    </p>
  `;
}
