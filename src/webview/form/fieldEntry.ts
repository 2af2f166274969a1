import type { PageProblem } from '../words/problemWords.ts';
import type { Control, Field } from './formFields.ts';
import { findGroupProblem, pickSendableValue } from './sendableValues.ts';
import { chooseControl, fitsControl, formatValue, type Reading, readTypedText } from './typedValue.ts';

/** The content of a field, valid or not. */
export interface FieldEntry {
  readonly control: Control;
  readonly typed: string;
  /** Whether a number box contains text that the browser cannot parse and does not return. */
  readonly isUnreadable?: boolean;
}

/** Creates the entry of a value, in the simplest control that can show it. */
export function createEntry(field: Field, value: unknown): FieldEntry {
  const control = chooseControl(field, value);
  return { control, typed: formatValue(control, value) };
}

/** Creates the entry of one of the field's choices, from the JSON of its option. */
export function createChoiceEntry({ controls: [control] }: Field, typed: string): FieldEntry {
  return { control, typed };
}

/** Creates the entry of a value that is not one of the choices, in the control for other values. */
export function createOtherEntry({ controls }: Field, value: unknown): FieldEntry {
  const control = controls.at(-1) ?? controls[0];
  return { control, typed: formatValue(control, value) };
}

/** Reads the value of an entry. The value of a group comes from its members; see `findEntryProblem`. */
export function readEntry(field: Field, { control, typed, isUnreadable }: FieldEntry): Reading {
  // Text that the browser does not return is not a number.
  return readTypedText(field, control, isUnreadable ? 'unreadable' : typed);
}

/**
 * Returns why the value of a field is not sent; undefined if it is, or if the field is empty.
 *
 * @param value the current value of the field
 */
export function findEntryProblem(field: Field, entry: FieldEntry, value: unknown): PageProblem | undefined {
  return entry.control.kind === 'group' ? findGroupProblem(field, value) : readEntry(field, entry).problem;
}

/**
 * Moves an entry to another control. A text that this control cannot show as a value stays unchanged, so that the
 * user can edit it.
 *
 * @param value the current value of the field
 */
export function convertEntry(control: Control, field: Field, entry: FieldEntry, value: unknown): FieldEntry {
  const isGroup = entry.control.kind === 'group';
  const entryValue = isGroup ? pickSendableValue(field, value) : readEntry(field, entry).value;
  const isShown = entryValue !== undefined && fitsControl(field, control, entryValue);
  return { control, typed: isShown || isGroup ? formatValue(control, entryValue) : entry.typed };
}

/**
 * Whether another control would hide a part of the text in the JSON box.
 *
 * @param value the current value of the field
 */
export function wouldHide(control: Control, field: Field, entry: FieldEntry, value: unknown): boolean {
  if (control.kind !== 'group' || entry.control.kind === 'group') return false;
  return (
    findEntryProblem(field, entry, value) !== undefined ||
    (value !== undefined && !fitsControl(field, control, value))
  );
}
