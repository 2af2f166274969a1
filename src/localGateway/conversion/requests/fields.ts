import { isObject, type JsonObject, jsonText } from '../../../base/json.ts';
import type { ConversionNotes } from '../notes.ts';
import type { Setting } from './askedRequest.ts';

/** How a reader treats the fields of a request. Unknown ones are refused, since nobody knows what they ask for. */
export interface FieldRules {
  /** Fields that the reader converts, or that change nothing. */
  readonly read: readonly string[];
  /** Fields that only advise. */
  readonly hints: readonly string[];
  /** Fields without which the request would mean something else, each with what other formats lack. */
  readonly constraints: Readonly<Record<string, string>>;
  /** Fields that ask for something by being there, even if nothing is in them. */
  readonly switches?: readonly string[];
}

/** Values that ask for nothing. */
const neutral: ReadonlySet<unknown> = new Set([
  null,
  undefined,
  false,
  0,
  '',
  'disabled',
  '[]',
  '{}',
  '["text"]',
]);

/**
 * Names the fields that only advise, and refuses those that would be lost.
 *
 * @param base the path of the object, with a dot at its end; empty for the whole body
 */
export function sortFields(body: JsonObject, rules: FieldRules, notes: ConversionNotes, base = ''): void {
  const read = new Set(rules.read);
  const hints = new Set(rules.hints);
  const switches = new Set(rules.switches);
  for (const [name, value] of Object.entries(body)) {
    if (read.has(name) || (isNeutral(value) && !(switches.has(name) && isObject(value)))) continue;
    if (hints.has(name)) notes.drop(base + name);
    else {
      const lacks = Object.hasOwn(rules.constraints, name) ? rules.constraints[name] : undefined;
      throw notes.refusal(base + name, lacks ?? 'may not know this field');
    }
  }
}

function isNeutral(value: unknown): boolean {
  return neutral.has(typeof value === 'object' ? jsonText(value ?? undefined) : value);
}

/** Names members of an object that no other format has. */
export function dropOthers(
  object: JsonObject,
  known: readonly string[],
  at: string,
  notes: ConversionNotes,
): void {
  for (const [name, value] of Object.entries(object)) {
    if (value != null && !known.includes(name)) notes.drop(`${at}.${name}`);
  }
}

/** The value with its place; undefined where it is not set. */
export function setting<Value>(value: Value | null | undefined, at: string): Setting<Value> | undefined {
  return value == null ? undefined : { value, at };
}

export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
