import type { PageProblem } from '../words/problemWords.ts';
import type { Control, Field } from './formFields.ts';
import { groupProblem, sendableValue } from './sendableValues.ts';
import { controlFor, fitsControl, type Reading, readTyped, typedFor } from './typedValue.ts';

/** The content of a field, valid or not. */
export interface FieldEntry {
  readonly control: Control;
  readonly typed: string;
  /** Whether a number box contains text that the browser cannot parse and does not return. */
  readonly isUnreadable?: boolean;
}

/** A value in the simplest control that can show it. */
export function entryFor(field: Field, value: unknown): FieldEntry {
  const control = controlFor(field, value);
  return { control, typed: typedFor(control, value) };
}

/** One of the field's choices, by the JSON of its option. */
export function chosenEntry({ controls: [control] }: Field, typed: string): FieldEntry {
  return { control, typed };
}

/** A value other than the choices, in the control for other values. */
export function otherEntry({ controls }: Field, value: unknown): FieldEntry {
  const control = controls.at(-1) ?? controls[0];
  return { control, typed: typedFor(control, value) };
}

/** The value of an entry. The value of a group comes from its members; see `entryProblem`. */
export function readEntry(field: Field, { control, typed, isUnreadable }: FieldEntry): Reading {
  // Text that the browser does not return is not a number.
  return readTyped(field, control, isUnreadable ? 'unreadable' : typed);
}

/** @param value the current value of the field */
export function entryProblem(field: Field, entry: FieldEntry, value: unknown): PageProblem | undefined {
  return entry.control.kind === 'group' ? groupProblem(field, value) : readEntry(field, entry).problem;
}

/**
 * The same entry in another control. A text that this control cannot show as a value stays unchanged, so that the
 * user can edit it.
 *
 * @param value the current value of the field
 */
export function entryIn(control: Control, field: Field, entry: FieldEntry, value: unknown): FieldEntry {
  const isGroup = entry.control.kind === 'group';
  const entryValue = isGroup ? sendableValue(field, value) : readEntry(field, entry).value;
  const isShown = entryValue !== undefined && fitsControl(field, control, entryValue);
  return { control, typed: isShown || isGroup ? typedFor(control, entryValue) : entry.typed };
}

/**
 * Whether another control would hide a part of the text in the JSON box.
 *
 * @param value the current value of the field
 */
export function wouldHide(control: Control, field: Field, entry: FieldEntry, value: unknown): boolean {
  if (control.kind !== 'group' || entry.control.kind === 'group') return false;
  return (
    entryProblem(field, entry, value) !== undefined ||
    (value !== undefined && !fitsControl(field, control, value))
  );
}
