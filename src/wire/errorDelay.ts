import { isObject, type JsonObject, nonEmptyString } from '../base/json.ts';

/** How long an error body asks to wait, in milliseconds: in Google's RetryInfo, or in seconds as `retry_after`. */
export function delayOfDetails(value: JsonObject, detail: JsonObject): number | undefined {
  const infos = Array.isArray(detail.details) ? detail.details.slice(0, 20).filter(isObject) : [];
  for (const { retryDelay } of infos) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(nonEmptyString(retryDelay) ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  const metadata = isObject(detail.metadata) ? detail.metadata : {};
  const places = [detail, value, metadata];
  const seconds = places.flatMap((each) => [each.retry_after, each.retryAfter, each.retry_after_seconds]);
  const milliseconds = places.flatMap((each) => [each.retry_after_ms, each.retryAfterMs]);
  const told = seconds.map(countIn).find((count) => count !== undefined);
  return told === undefined ? milliseconds.map(countIn).find((count) => count !== undefined) : told * 1000;
}

function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count >= 0 ? count : undefined;
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration such as `6m0s`, `20 seconds`, `1 hour and 5 minutes`. */
const duration =
  /\b(?:try again|retry(?:ing)?)(?: your request)? (?:in|after) (?:about |~)?((?:\d{1,9}(?:\.\d{1,9})? ?(?:h(?:ou)?rs?|h|ms|min(?:ute)?s?|m|sec(?:ond)?s?|s)(?:,? and |, | )?){1,4})(?![a-z])/i;

/** How long a message asks to wait, in milliseconds: "Please try again in 6m0s.", "请在 20 秒后重试". */
export function delayOfMessage(message = ''): number | undefined {
  const told = duration.exec(message)?.[1];
  if (told !== undefined) {
    const pieces = told.toLowerCase().matchAll(/([\d.]+) ?(ms|[hms])/g);
    return [...pieces].reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  }
  const minutes = /(\d{1,6}) ?分钟(?:后|之后|以后)/.exec(message)?.[1];
  if (minutes !== undefined) return Number(minutes) * 60_000;
  const seconds =
    /\bwait (\d{1,9}) seconds before retrying\b/i.exec(message)?.[1] ??
    /(\d{1,9}) ?秒(?:钟)?(?:后|之后|以后)/.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
