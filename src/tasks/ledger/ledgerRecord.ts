/** Longer strings in a record are data, not text; in characters. */
const maxString = 64 * 1024;

/** The JSON text of a record, without long data. */
export function recordText(record: unknown): string | null {
  try {
    return JSON.stringify(record, (_, value: unknown) => (isData(value) ? leftOut(value) : value)) ?? null;
  } catch {
    // The record is nested too deeply for JSON.stringify. What was read from it is stored all the same.
    return null;
  }
}

function isData(value: unknown): value is string {
  return typeof value === 'string' && value.length > maxString;
}

function leftOut(text: string): string {
  return `(${text.length} characters, left out)`;
}
