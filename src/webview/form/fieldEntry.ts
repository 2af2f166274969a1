import { isObject, sameJson, scalarText } from '../../base/json.ts';
import { t } from '../words/l10n.ts';
import { describeExpectedValue, type PageProblem } from '../words/problemWords.ts';
import { type Control, type Field, getGroupMembers, jsonControl } from './formFields.ts';
import { findViolation } from './schemaViolation.ts';
import { findGroupProblem, pickSendableValue } from './sendableValues.ts';
import { findLineAndColumn, JsonError, readJson } from './strictJson.ts';

/** The content of a field, valid or not. */
export interface FieldEntry {
  readonly control: Control;
  readonly typed: string;
  /** Whether a number box contains text that the browser cannot parse and does not return. */
  readonly isUnreadable?: boolean;
}

/** Creates the entry of a value, in the simplest control that can show it. */
export function createFieldEntry(field: Field, value: unknown): FieldEntry {
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
 * Moves an entry to another control. A text that this control cannot show as a value is not changed, so that the
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

/** The result of reading the text of a control: a valid value or a problem; neither if the control is empty. */
interface Reading {
  readonly value?: unknown;
  readonly problem?: PageProblem;
}

/** Reads the text of a field's control. The text of a choice is the JSON of its option. */
export function readTypedText(field: Field, control: Control, typed: string): Reading {
  const text = typed.replace(/\r\n?/g, '\n');
  if (text === '') return {};
  switch (control.kind) {
    case 'text':
      return checkValue(field, text);
    case 'number':
      return text.trim() === '' ? {} : checkValue(field, Number(text));
    case 'list':
      return readList(field, text);
    case 'choice':
      return checkValue(field, control.options.find(({ value }) => JSON.stringify(value) === text)?.value);
    case 'json':
    case 'group':
      return text.trim() === '' ? {} : readJsonInput(field, text);
  }
}

/** Returns the text of a value in a control. */
export function formatValue(control: Control, value: unknown): string {
  if (value === undefined) return '';
  switch (control.kind) {
    case 'text':
    case 'number':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'list':
      return Array.isArray(value) ? value.map(scalarText).join('\n') : '';
    case 'choice':
      return JSON.stringify(value);
    case 'json':
    case 'group':
      return JSON.stringify(value, null, 2);
  }
}

/** Returns the simplest control that can show a value unchanged. An unchecked field is edited as text. */
export function chooseControl(field: Field, value: unknown): Control {
  if (value === undefined) return field.controls[0];
  const last = field.isUnchecked ? field.controls.at(-1) : undefined;
  const fitting = field.controls.find((control) => fitsControl(field, control, value)) ?? last;
  // A number out of range is still easiest to read and correct in a number control.
  const number = typeof value === 'number' && field.controls.find(({ kind }) => kind === 'number');
  return fitting ?? (number || jsonControl);
}

/** Whether a control can show a value unchanged. */
function fitsControl(field: Field, control: Control, value: unknown): boolean {
  if (control.kind === 'group') {
    const names = new Set(getGroupMembers(field)?.map(({ name }) => name));
    return isObject(value) && Object.keys(value).every((name) => names.has(name));
  }
  return sameJson(readTypedText(field, control, formatValue(control, value)).value, value);
}

/** Returns the hint below a control. Empty if any input is valid. */
export function describeValidInput(field: Field, control: Control): string {
  switch (control.kind) {
    case 'number':
      return capitalize(describeExpectedValue(control.schema));
    case 'text':
      return describeExpectedValue(control.schema) === 'text'
        ? ''
        : capitalize(describeExpectedValue(control.schema));
    case 'list':
      return t('One per line');
    case 'json':
      return t('JSON: {0}', describeExpectedValue(field.schema));
    default:
      return '';
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function checkValue(field: Field, value: unknown): Reading {
  if (field.isUnchecked) return Number.isNaN(value) ? { problem: { kind: 'not-a-number' } } : { value };
  const violation = findViolation(field.schema, value);
  return violation ? { problem: violation.problem } : { value };
}

function readList(field: Field, text: string): Reading {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? {} : checkValue(field, lines);
}

function readJsonInput(field: Field, text: string): Reading {
  try {
    const { value, findOffset } = readJson(text);
    const violation = findViolation(field.schema, value);
    if (!violation) return { value };
    const { path, problem } = violation;
    return { problem: { kind: 'at', ...findLineAndColumn(text, findOffset(path)), problem } };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { problem: { kind: 'at', ...findLineAndColumn(text, error.offset), problem: error.problem } };
  }
}
