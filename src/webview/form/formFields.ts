import {
  type JsonSchema,
  listNonNullAlternatives,
  listOptions,
  type Subschema,
} from '../../base/jsonSchema.ts';
import { containsWords } from '../../base/searchWords.ts';
import { t } from '../words/l10n.ts';

/** The control of a field. The texts of a list are one per line; a group has a field for each member. */
export type Control =
  | ChoiceControl
  | NumberControl
  | TextControl
  | { readonly kind: 'list' }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | JsonControl;

export interface ChoiceControl {
  readonly kind: 'choice';
  readonly options: readonly Option[];
  /** Whether the field's last control is offered as another option, for other values. */
  readonly allowsOther?: boolean;
}

export interface NumberControl {
  readonly kind: 'number';
  readonly schema: JsonSchema;
}

export interface TextControl {
  readonly kind: 'text';
  readonly schema: JsonSchema;
  /** The kind of text: a prompt, prose or a few words; undefined for any other. */
  readonly style?: 'prompt' | 'prose' | 'word';
}

interface JsonControl {
  readonly kind: 'json';
}

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

/** One field of a form. */
export interface Field {
  /** The names from the top of the request; empty for the field of properties that are not in the schema. */
  readonly path: readonly string[];
  readonly name: string;
  readonly help: string;
  readonly schema: JsonSchema;
  /** The controls that can edit it, simplest first. */
  readonly controls: readonly [Control, ...Control[]];
  readonly isDeprecated: boolean;
  /** Whether the page accepts any text or number, because the host checks it. */
  readonly isUnchecked?: boolean;
}

/** The control that edits any value as JSON. */
export const jsonControl: JsonControl = { kind: 'json' };

/**
 * Creates a field for each property of a request or of an object inside it, deprecated ones last. A property whose
 * schema is false has a field in another part of the form.
 */
export function createFields(schema: JsonSchema, path: readonly string[] = []): readonly Field[] {
  const fields = Object.entries(schema.properties ?? {})
    .filter(([, member]) => member !== false)
    .map(([name, member]) => createField(name, member, path));
  return fields.toSorted((one, other) => Number(one.isDeprecated) - Number(other.isDeprecated));
}

/**
 * Creates the field for properties that are not in the schema of a request. It does not accept names of other fields.
 */
export function createOtherField({ properties = {} }: JsonSchema): Field {
  return {
    path: [],
    name: t('Other fields'),
    help: t('Fields that are not listed here, as one JSON object. Sent unchanged.'),
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(properties).map((name) => [name, false])),
    },
    controls: [jsonControl],
    isDeprecated: false,
  };
}

/** Returns the fields of a group; undefined if the field is not a group. */
export function getGroupMembers(field: Field): readonly Field[] | undefined {
  return field.controls.find((control) => control.kind === 'group')?.fields;
}

/** Whether the name or help of a field, or of one inside it, contains each of the words. */
export function matchesSearch(field: Field, words: readonly string[]): boolean {
  return (
    matchesItself(field, words) ||
    (getGroupMembers(field)?.some((member) => matchesSearch(member, words)) ?? false)
  );
}

/** Whether a field's own name or help contains each of the words. */
export function matchesItself({ path, name, help }: Field, words: readonly string[]): boolean {
  return containsWords(`${path.join('.')} ${name} ${help}`, words);
}

function createField(name: string, member: Subschema, parent: readonly string[]): Field {
  const schema = typeof member === 'boolean' ? {} : member;
  const path = [...parent, name];
  return {
    path,
    name,
    help: schema.description ?? '',
    schema,
    controls: chooseControls(schema, path),
    isDeprecated: schema.deprecated ?? false,
  };
}

const simplestFirst: readonly Control['kind'][] = ['choice', 'number', 'text', 'list'];

function chooseControls(schema: JsonSchema, path: readonly string[]): readonly [Control, ...Control[]] {
  const possible = listNonNullAlternatives(schema);
  const [only] = possible;
  if (only && possible.length === 1) return chooseControlsForOne(only, path);
  const candidates = possible.map(chooseSimpleControl);
  const simple = simplestFirst.flatMap((kind) => candidates.find((control) => control?.kind === kind) ?? []);
  const [first, ...others] = simple;
  return first ? [first, ...others, jsonControl] : [jsonControl];
}

function chooseControlsForOne(schema: JsonSchema, path: readonly string[]): readonly [Control, ...Control[]] {
  // An object may have members that are not in its schema, which can be edited only as JSON.
  const fields = schema.type === 'object' ? createFields(schema, path) : [];
  return fields.length > 0
    ? [{ kind: 'group', fields }, jsonControl]
    : [chooseSimpleControl(schema) ?? jsonControl];
}

function chooseSimpleControl(schema: JsonSchema): Control | undefined {
  const options = listOptions(schema);
  if (options) return { kind: 'choice', options: options.map((value) => ({ label: String(value), value })) };
  if (schema.type === 'boolean') return { kind: 'choice', options: yesAndNo };
  if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number', schema };
  if (schema.type === 'string') return { kind: 'text', schema };
  return schema.type === 'array' && isFreeText(schema.items) ? { kind: 'list' } : undefined;
}

const yesAndNo: readonly Option[] = [
  { label: t('Yes'), value: true },
  { label: t('No'), value: false },
];

function isFreeText(items: Subschema | undefined): boolean {
  return typeof items === 'object' && items.type === 'string' && !listOptions(items);
}
