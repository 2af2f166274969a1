import { type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { withValue } from '../../base/nestedValues.ts';
import { commonFieldsOf, commonNameOf, isShown } from './commonFields.ts';
import { type Field, fieldsOf, matches, otherFields } from './fields.ts';
import { otherValues, sendableValues, withOtherValues } from './values.ts';

/** The fields of the parameters form, and what is entered in them, also what may not be sent yet. */
export class EnteredParameters {
  #own: readonly Field[] = [];
  #common: readonly Field[] = [];
  #other = otherFields({});
  #values: JsonObject = {};
  #commonValues: JsonObject = {};
  #atTop: ReadonlySet<Field> = new Set();
  #touched = false;
  #generation = 0;

  /** The common fields, in the order of the form. */
  get common(): readonly Field[] {
    return this.#common;
  }

  /** The fields that are listed as set, and those that are not, each with the one for fields of no schema. */
  get rows(): { readonly set: readonly Field[]; readonly unset: readonly Field[] } {
    const all = [...this.#own, this.#other];
    return {
      set: all.filter((field) => this.#atTop.has(field)),
      unset: all.filter((field) => !this.#atTop.has(field)),
    };
  }

  /** The fields with a schema. */
  get known(): readonly Field[] {
    return [...this.#common, ...this.#own];
  }

  /** Changes when other values replace the input. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether anything was typed, valid or not. */
  get touched(): boolean {
    return this.#touched;
  }

  get hasCommon(): boolean {
    return Object.keys(this.#commonValues).length > 0;
  }

  /** The part of the input beside the common parameters that may be sent. */
  get sendable(): JsonObject {
    return sendableValues(this.#own, this.#values);
  }

  takeSchema(schema: JsonSchema): void {
    this.#own = fieldsOf(schema);
    this.#other = otherFields(schema);
  }

  takeCommonSchema(schema: JsonSchema): void {
    this.#common = commonFieldsOf(schema);
  }

  /** Replaces all input. */
  begin(values: JsonObject, common: JsonObject): void {
    this.#values = values;
    this.#commonValues = common;
    this.#touched = false;
    this.#generation += 1;
    this.arrange();
  }

  /** Lists the fields anew by whether they are set. */
  arrange(): void {
    const set = [...this.#own, this.#other].filter((field) => this.valueOf(field) !== undefined);
    this.#atTop = new Set(set);
  }

  isCommon(field: Field): boolean {
    return this.#common.includes(field);
  }

  /** Whether a field stands in the form now, and holds the words of a search. */
  isFound(field: Field, words: readonly string[]): boolean {
    return isShown(field, this.#commonValues) && matches(field, words);
  }

  valueOf(field: Field): unknown {
    if (this.isCommon(field)) return this.#commonValues[commonNameOf(field)];
    if (field !== this.#other) return this.#values[field.name];
    const others = otherValues(this.#own, this.#values);
    return Object.keys(others).length > 0 ? others : undefined;
  }

  /**
   * Enters the value of a field, or of one inside it; undefined takes it out. Returns whether that changed a common
   * one.
   */
  enter(field: Field, value: unknown): boolean {
    this.#touched = true;
    if (this.isCommon(field)) return this.#enterCommon(commonNameOf(field), value);
    this.#values =
      field === this.#other
        ? withOtherValues(this.#own, this.#values, value)
        : withValue(this.#values, field.path, value);
    return false;
  }

  #enterCommon(name: string, value: unknown): boolean {
    if (sameJson(this.#commonValues[name], value)) return false;
    this.#commonValues = withValue(this.#commonValues, [name], value);
    return true;
  }
}
