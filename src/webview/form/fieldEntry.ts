import type { Problem } from '../words/problems.ts';
import type { Control, Field } from './fields.ts';
import { controlFor, fits, type Reading, readTyped, typedFor } from './typed.ts';
import { groupProblem, sendableValue } from './values.ts';

/** What stands in a field, valid or not. */
export interface FieldEntry {
  readonly control: Control;
  readonly typed: string;
  /** Whether a number box holds something that the browser cannot read, and does not tell. */
  readonly unreadable?: boolean;
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

/** A value that is none of the choices, in the control for any other. */
export function otherEntry({ controls }: Field, value: unknown): FieldEntry {
  const control = controls.at(-1) ?? controls[0];
  return { control, typed: typedFor(control, value) };
}

/** What an entry means; for a group, whose value its members make, see `entryProblem`. */
export function readEntry(field: Field, { control, typed, unreadable }: FieldEntry): Reading {
  // Whatever the browser does not tell, it is no number.
  return readTyped(field, control, unreadable ? 'unreadable' : typed);
}

/** @param value what is set */
export function entryProblem(field: Field, entry: FieldEntry, value: unknown): Problem | undefined {
  return entry.control.kind === 'group' ? groupProblem(field, value) : readEntry(field, entry).problem;
}

/**
 * The same in another control. A text that this cannot show as a value stays as it is, for the user to change.
 *
 * @param value what is set
 */
export function entryIn(control: Control, field: Field, entry: FieldEntry, value: unknown): FieldEntry {
  const isGroup = entry.control.kind === 'group';
  const meant = isGroup ? sendableValue(field, value) : readEntry(field, entry).value;
  const isShown = meant !== undefined && fits(field, control, meant);
  return { control, typed: isShown || isGroup ? typedFor(control, meant) : entry.typed };
}

/**
 * Whether another control would not show all that stands in the JSON box, as fields may not.
 *
 * @param value what is set
 */
export function wouldHide(control: Control, field: Field, entry: FieldEntry, value: unknown): boolean {
  if (control.kind !== 'group' || entry.control.kind === 'group') return false;
  return (
    entryProblem(field, entry, value) !== undefined || (value !== undefined && !fits(field, control, value))
  );
}
