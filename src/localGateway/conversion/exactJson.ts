/** In Node since 22. Its type is newer than the library that this project is compiled against. */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown };

/**
 * Parses JSON text. Integers beyond 2^53 keep all their digits where they are written as JSON again, as in the
 * arguments of calls.
 */
export function exactJson(text: string): unknown {
  if (!rawJSON || !/\d{16}/.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    // Also for text that is nested too deeply for a reviver.
    return JSON.parse(text);
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : undefined;
  return digits !== undefined && /^-?\d+$/.test(digits) ? (rawJSON?.(digits) ?? value) : value;
}
