/** A JSON object: nothing is known of its members. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are the same JSON, member for member in the same order. */
export function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value when it is a string with something in it. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON text of a parsed value; undefined when it is nested too deep to be written. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** As `parseJson`, but whole numbers that a number cannot hold stay text, digit for digit. */
export function parseExactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJson(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Also when the text is nested too deep to be looked at value by value.
    return parseJson(text);
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : undefined;
  return digits !== undefined && /^-?\d+$/.test(digits) ? digits : value;
}
