/** Reply headers by lower-case name, as Node's clients hand them over. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The longest wait a timer can hold; a longer one would fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * How long the gateway asked to wait, in milliseconds: the longest of `retry-after-ms`, `Retry-After` as
 * seconds or as a date, and what the body told. Nonsense is passed over.
 */
export function retryAfterMs(
  headers: ReplyHeaders,
  bodyDelayMs: number | undefined,
  now: Date,
): number | undefined {
  const waits = [
    ...headerValues(headers['retry-after-ms']).map((value) => decimal(value)),
    ...headerValues(headers['retry-after']).map((value) => secondsOrDate(value, now)),
    bodyDelayMs,
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), LONGEST_WAIT_MS);
}

function secondsOrDate(value: string, now: Date): number | undefined {
  const seconds = decimal(value);
  if (seconds !== undefined) return seconds * 1000;
  if (!/^[a-z]{3,9},? .*\d:\d/i.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

function decimal(value: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function headerValues(header: string | readonly string[] | undefined): readonly string[] {
  return (typeof header === 'string' ? [header] : (header ?? [])).map((value) => value.trim());
}
