import { isObject, sameJson, scalarText } from '../../base/json.ts';
import { expectation } from '../words/expectations.ts';
import { t } from '../words/l10n.ts';
import type { PageProblem } from '../words/problemWords.ts';
import { type Control, type Field, groupMembers, jsonControl } from './formFields.ts';
import { violationOf } from './schemaViolation.ts';
import { JsonFault, lineAndColumn, readJson } from './strictJson.ts';

/** The result of reading a control's text: an allowed value or a problem; neither if the control is empty. */
export interface Reading {
  readonly value?: unknown;
  readonly problem?: PageProblem;
}

/** Reads the text of a field's control. The text of a choice is the JSON of its option. */
export function readTyped(field: Field, control: Control, typed: string): Reading {
  const text = typed.replace(/\r\n?/g, '\n');
  if (text === '') return {};
  switch (control.kind) {
    case 'text':
      return readingOf(field, text);
    case 'number':
      return text.trim() === '' ? {} : readingOf(field, Number(text));
    case 'list':
      return readList(field, text);
    case 'choice':
      return readingOf(field, control.options.find(({ value }) => JSON.stringify(value) === text)?.value);
    case 'json':
    case 'group':
      return text.trim() === '' ? {} : readJsonBox(field, text);
  }
}

/** Returns the text of a value in a control. */
export function typedFor(control: Control, value: unknown): string {
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
export function controlFor(field: Field, value: unknown): Control {
  if (value === undefined) return field.controls[0];
  const last = field.isUnchecked ? field.controls.at(-1) : undefined;
  const fitting = field.controls.find((control) => fitsControl(field, control, value)) ?? last;
  // A number out of range is still easiest to read and correct in a number control.
  const number = typeof value === 'number' && field.controls.find(({ kind }) => kind === 'number');
  return fitting ?? (number || jsonControl);
}

/** Whether a control can show a value unchanged. */
export function fitsControl(field: Field, control: Control, value: unknown): boolean {
  if (control.kind === 'group') {
    const names = new Set(groupMembers(field)?.map(({ name }) => name));
    return isObject(value) && Object.keys(value).every((name) => names.has(name));
  }
  return sameJson(readTyped(field, control, typedFor(control, value)).value, value);
}

/** The hint below a control: its valid input. Empty if any input is valid. */
export function hintFor(field: Field, control: Control): string {
  switch (control.kind) {
    case 'number':
      return capitalized(expectation(control.schema));
    case 'text':
      return expectation(control.schema) === 'text' ? '' : capitalized(expectation(control.schema));
    case 'list':
      return t('One per line');
    case 'json':
      return t('JSON: {0}', expectation(field.schema));
    default:
      return '';
  }
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function readingOf(field: Field, value: unknown): Reading {
  if (field.isUnchecked) return Number.isNaN(value) ? { problem: { kind: 'not-a-number' } } : { value };
  const violation = violationOf(field.schema, value);
  return violation ? { problem: violation.problem } : { value };
}

function readList(field: Field, text: string): Reading {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? {} : readingOf(field, lines);
}

function readJsonBox(field: Field, text: string): Reading {
  try {
    const { value, offsetOf } = readJson(text);
    const violation = violationOf(field.schema, value);
    if (!violation) return { value };
    const { path, problem } = violation;
    return { problem: { kind: 'at', ...lineAndColumn(text, offsetOf(path)), problem } };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { problem: { kind: 'at', ...lineAndColumn(text, error.offset), problem: error.problem } };
  }
}
