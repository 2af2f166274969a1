import { type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { withValue } from '../../base/nestedValues.ts';
import { t } from '../words/l10n.ts';
import {
  type Control,
  createFields,
  createOtherField,
  type Field,
  matchesSearch,
  type Option,
} from './formFields.ts';
import { pickOtherValues, pickSendableValues, replaceOtherValues } from './sendableValues.ts';

/** The fields of the parameters form and their input, including input that may not be sent yet. */
export class EnteredParameters {
  /** The fields of the API format that are not common parameters. */
  #formatFields: readonly Field[] = [];
  #commonFields: readonly Field[] = [];
  /** The field for values without a schema. */
  #otherField = createOtherField({});
  #values: JsonObject = {};
  #commonValues: JsonObject = {};
  /** The fields that were set when the form was last sorted. */
  #setFields: ReadonlySet<Field> = new Set();
  #isTouched = false;
  #generation = 0;

  /** The fields of the common parameters, in the order of the form. */
  get commonFields(): readonly Field[] {
    return this.#commonFields;
  }

  /** The fields that are listed as set and as not set, including the field for values without a schema. */
  get rows(): { readonly set: readonly Field[]; readonly unset: readonly Field[] } {
    const fields = [...this.#formatFields, this.#otherField];
    return {
      set: fields.filter((field) => this.#setFields.has(field)),
      unset: fields.filter((field) => !this.#setFields.has(field)),
    };
  }

  /** The fields with a schema. */
  get schemaFields(): readonly Field[] {
    return [...this.#commonFields, ...this.#formatFields];
  }

  /** A number that changes when other values replace the input. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the user has typed anything, valid or not. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  get hasCommonValues(): boolean {
    return Object.keys(this.#commonValues).length > 0;
  }

  /** The part of the input that may be sent, without the common parameters. */
  get sendableValues(): JsonObject {
    return pickSendableValues(this.#formatFields, this.#values);
  }

  setSchema(schema: JsonSchema): void {
    this.#formatFields = createFields(schema);
    this.#otherField = createOtherField(schema);
  }

  setCommonSchema(schema: JsonSchema): void {
    this.#commonFields = createCommonFields(schema);
  }

  /** Replaces all input. */
  replaceInput(values: JsonObject, common: JsonObject): void {
    this.#values = values;
    this.#commonValues = common;
    this.#isTouched = false;
    this.#generation += 1;
    this.sortRows();
  }

  /** Sorts the fields again by whether they are set. */
  sortRows(): void {
    const setFields = [...this.#formatFields, this.#otherField].filter(
      (field) => this.getValue(field) !== undefined,
    );
    this.#setFields = new Set(setFields);
  }

  isCommon(field: Field): boolean {
    return this.#commonFields.includes(field);
  }

  /** Whether a field is currently in the form and matches a search. */
  matchesSearch(field: Field, words: readonly string[]): boolean {
    return isFieldShown(field, this.#commonValues) && matchesSearch(field, words);
  }

  /** Returns the current value of a top-level field; undefined if it is not set. */
  getValue(field: Field): unknown {
    if (this.isCommon(field)) return this.#commonValues[getCommonName(field)];
    if (field !== this.#otherField) return this.#values[field.name];
    const others = pickOtherValues(this.#formatFields, this.#values);
    return Object.keys(others).length > 0 ? others : undefined;
  }

  /**
   * Sets the value of a field, which may be inside a group; undefined removes it.
   *
   * @returns whether a common parameter changed
   */
  enter(field: Field, value: unknown): boolean {
    this.#isTouched = true;
    if (this.isCommon(field)) return this.#enterCommon(getCommonName(field), value);
    this.#values =
      field === this.#otherField
        ? replaceOtherValues(this.#formatFields, this.#values, value)
        : withValue(this.#values, field.path, value);
    return false;
  }

  #enterCommon(name: string, value: unknown): boolean {
    if (sameJson(this.#commonValues[name], value)) return false;
    this.#commonValues = withValue(this.#commonValues, [name], value);
    return true;
  }
}

/** Labels of some values of the common parameters. Other values are labelled with their capitalized names. */
const optionNames: Readonly<Record<string, string>> = {
  none: t('None'),
  minimal: t('Minimal'),
  low: t('Low'),
  medium: t('Medium'),
  high: t('High'),
  text: t('Text'),
  json: 'JSON',
  json_schema: 'JSON Schema',
};

/** Creates the fields of the common parameters, with display names. The path is `common` and the parameter's name. */
function createCommonFields(schema: JsonSchema): readonly Field[] {
  return createFields(schema, ['common']).map((field) => ({
    ...field,
    name: field.schema.title ?? field.name,
    controls: chooseControls(field),
  }));
}

/** Returns the name of a common parameter in the host's messages. */
export function getCommonName({ path }: Field): string {
  return path.at(-1) ?? '';
}

/**
 * Whether a field is currently in the form. The response schema requires the response format JSON Schema.
 */
function isFieldShown(field: Field, values: Readonly<Record<string, unknown>>): boolean {
  return getCommonName(field) !== 'responseSchema' || values.responseFormat === 'json_schema';
}

function chooseControls(field: Field): readonly [Control, ...Control[]] {
  if (getCommonName(field) === 'systemPrompt')
    return [{ kind: 'text', schema: field.schema, style: 'prose' }];
  const [first, ...others] = field.controls;
  // A common parameter has a control for each of its values, so it does not need an additional JSON control.
  return [nameOptions(first), ...others.filter(({ kind }) => kind !== 'json')];
}

function nameOptions(control: Control): Control {
  return control.kind === 'choice' ? { ...control, options: control.options.map(nameOption) } : control;
}

function nameOption({ label, value }: Option): Option {
  const name = Object.hasOwn(optionNames, label) ? optionNames[label] : undefined;
  return { label: name ?? label.charAt(0).toUpperCase() + label.slice(1), value };
}
