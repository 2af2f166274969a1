/** A JSON object with unknown members. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a list; empty for any other value. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether two values have the same JSON text. The order of members matters. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a value is a whole number of at least 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The value if it is a string that is not empty; otherwise undefined. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The text of a string, a number or a boolean; empty for other values, whose `toString` may not be a function. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/**
 * Parses JSON text.
 *
 * @returns undefined if the text is not JSON
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON text of a parsed value; undefined if it is nested too deeply for JSON.stringify. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The JSON text of a parsed value at any nesting depth. */
export function deepJsonText(value: unknown): string {
  return jsonText(value) ?? writeWithoutRecursion(value);
}

function writeWithoutRecursion(value: unknown): string {
  let text = '';
  /** The values and texts that are not written yet, in reverse order. */
  const pending: ({ readonly value: unknown } | string)[] = [{ value }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      text += next;
      continue;
    }
    const { value } = next;
    if (typeof value !== 'object' || value === null) {
      text += JSON.stringify(value);
      continue;
    }
    const members = Array.isArray(value)
      ? value.map((each: unknown) => ['', each] as const)
      : Object.entries(value).map(([name, each]) => [`${JSON.stringify(name)}:`, each] as const);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    text += open;
    pending.push(close ?? '');
    for (const [index, [name, each]] of [...members.entries()].reverse())
      pending.push({ value: each }, index === 0 ? name : `,${name}`);
  }
  return text;
}

/** Like `parseJson`, but numbers that JavaScript cannot represent become strings with their original text. */
export function parseExactJson(text: string): unknown {
  return parseWithNumbers(text, (source) => source);
}

/** `JSON.rawJSON` exists since Node 21. The types of ES2024 do not contain it. */
const { rawJSON = (text: string): unknown => text } = JSON as typeof JSON & {
  readonly rawJSON?: (text: string) => unknown;
};

/**
 * Like `parseJson`, but numbers that JavaScript cannot represent keep their original text when the value is
 * written as JSON again. Until then, do not read or clone these numbers.
 */
export function parseForWriting(text: string): unknown {
  return parseWithNumbers(text, rawJSON);
}

/**
 * Parses JSON text and converts the numbers that JavaScript cannot represent: integers beyond 2^53, and numbers
 * that are read as infinite or 0.
 */
function parseWithNumbers(text: string, convertNumber: (source: string) => unknown): unknown {
  if (!/\d{16}|\d[eE][+-]?\d{3}/.test(text)) return parseJson(text);
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && isInexact(value, context.source)
      ? convertNumber(context.source)
      : value;
  try {
    return JSON.parse(text, revive);
  } catch {
    // The text is not JSON, or is nested too deeply for a reviver.
    return parseJson(text);
  }
}

function isInexact(value: number, source: string): boolean {
  if (value === 0) return /^[^eE]*[1-9]/.test(source);
  return !Number.isFinite(value) || (!Number.isSafeInteger(value) && /^-?\d+$/.test(source));
}

/** The length of the checked beginning, in UTF-16 units: models write little white space before JSON. */
const maxCheckedLength = 1000;

const objectStart = /^\s*\{\s*["}]/;
const arrayStart = /^\s*\[\s*(?:[\]["{\d-]|true\b|false\b|null\b)/;
const undecidedStart = /^\s*(?:[{[]\s*|\[\s*[a-z]{1,4})?$/;

/** Checks whether a text begins like a JSON object or array; undefined if more text is needed. */
export function beginsAsJson(text: string): boolean | undefined {
  const beginning = text.slice(0, maxCheckedLength);
  if (objectStart.test(beginning) || arrayStart.test(beginning)) return true;
  return beginning.length < maxCheckedLength && undecidedStart.test(beginning) ? undefined : false;
}
