/** Longer strings in a record hold data, not words: in characters. */
const LONGEST_STRING = 64 * 1024;

/** The JSON text of a record for keeping, without the data in it. */
export function recordText(record: unknown): string | null {
  try {
    return JSON.stringify(record, (_, value: unknown) => (isData(value) ? leftOut(value) : value)) ?? null;
  } catch {
    // Nested deeper than can be written: everything that was read from it is kept all the same.
    return null;
  }
}

function isData(value: unknown): value is string {
  return typeof value === 'string' && value.length > LONGEST_STRING;
}

function leftOut(text: string): string {
  return `(${text.length} characters, left out)`;
}
