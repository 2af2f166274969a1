import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { maxTimerMs } from '../../base/maxTimer.ts';
import type { ReplyHeaders } from '../../base/replyHeaders.ts';

/**
 * Returns the requested wait in milliseconds: the longest of `retry-after-ms`, `Retry-After` as seconds or as a
 * date, both also with a prefix such as `x-ms-`, and the body's own hint. Invalid values are ignored.
 *
 * @returns undefined if the reply reports no wait
 */
export function readRetryAfterMs(
  headers: ReplyHeaders,
  bodyDelayMs: number | undefined,
  now: Date,
): number | undefined {
  const waits = [
    ...Object.entries(headers).flatMap(([name, value]) => {
      const found = /^(?:x-)?(?:[a-z]+-)?retry-after(-ms)?$/.exec(name);
      const read = found?.[1] === undefined ? (each: string) => readSecondsOrDate(each, now) : readDecimal;
      return found ? readHeader(value).map(read) : [];
    }),
    bodyDelayMs,
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), maxTimerMs);
}

/** Whether the gateway reports that the same request may succeed later; undefined if it reports neither. */
export function readRetryAdvice(headers: ReplyHeaders): boolean | undefined {
  const [advice] = readHeader(headers['x-should-retry']);
  if (advice === 'true') return true;
  return advice === 'false' ? false : undefined;
}

interface Limit {
  /** The remaining number; undefined without a header for it. */
  readonly remaining: number | undefined;
  readonly resets: readonly string[];
}

/**
 * The limits with a reset time in a header, such as `x-ratelimit-reset-tokens` for `x-ratelimit-remaining-tokens`.
 */
function readLimits(headers: ReplyHeaders): readonly Limit[] {
  const names = Object.keys(headers).filter(
    (name) => /rate-?limit.{0,100}reset/.test(name) && !/unified/.test(name),
  );
  return names.map((name) => {
    const [remaining] = readHeader(headers[name.replace('reset', 'remaining')]);
    return {
      remaining: remaining === undefined ? undefined : readDecimal(remaining),
      resets: readHeader(headers[name]),
    };
  });
}

/**
 * The longest wait until an exhausted limit is reset, in milliseconds, for a 429 without `Retry-After`. OpenAI
 * writes durations (`6m0s`, `12ms`), Anthropic dates or seconds since 1970, OpenRouter milliseconds since 1970,
 * others seconds from now.
 */
export function findLimitResetMs(headers: ReplyHeaders, now: Date): number | undefined {
  const limits = readLimits(headers);
  const exhaustedLimits = limits.filter(({ remaining }) => remaining === 0);
  // Some gateways send only the reset time.
  const relevantLimits =
    exhaustedLimits.length > 0 ? exhaustedLimits : limits.filter(({ remaining }) => remaining === undefined);
  const resets = [...relevantLimits.flatMap((limit) => limit.resets), ...readUnifiedReset(headers)];
  const waits = [
    ...resets.map((value) => readDurationOrDate(value, now)),
    ...readRateLimitWaits(headers),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), maxTimerMs);
}

/** The most items of one header that are read. */
const maxRateLimits = 100;

/**
 * The waits of the IETF's header `RateLimit`, in milliseconds, for each limit with nothing remaining:
 * `"name";r=0;t=30`, or `limit=9, remaining=0, reset=30` in earlier drafts. Without `t`, the window of the limit
 * in `RateLimit-Policy` is the longest wait.
 */
function readRateLimitWaits(headers: ReplyHeaders): readonly number[] {
  const limits = readHeader(headers.ratelimit).flatMap((value) =>
    /\bremaining=/.test(value)
      ? [{ name: '', r: readMember(value, 'remaining'), t: readMember(value, 'reset') }]
      : readItems(value),
  );
  const policies = readHeader(headers['ratelimit-policy']).flatMap(readItems);
  const windows = new Map(policies.map(({ name, w }) => [name, w]));
  return limits
    .filter(({ r }) => r === 0)
    .map(({ name, t }) => t ?? windows.get(name))
    .filter((seconds) => seconds !== undefined)
    .map((seconds) => seconds * 1000);
}

function readItems(value: string) {
  return value.split(',', maxRateLimits).map((item) => {
    const [name = ''] = item.split(';', 1);
    return {
      name: name.trim(),
      r: readMember(item, 'r'),
      t: readMember(item, 't'),
      w: readMember(item, 'w'),
    };
  });
}

function readMember(item: string, name: string): number | undefined {
  const members = item.split(/[;,]/, maxRateLimits).map((member) => member.trim());
  return readDecimal(members.find((member) => member.startsWith(`${name}=`))?.slice(name.length + 1) ?? '');
}

/** Anthropic's subscription limits report a status (allowed or rejected) instead of a remaining number. */
function readUnifiedReset(headers: ReplyHeaders): readonly string[] {
  const isRejected = readHeader(headers['anthropic-ratelimit-unified-status']).includes('rejected');
  return isRejected ? readHeader(headers['anthropic-ratelimit-unified-reset']) : [];
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

function readDurationOrDate(value: string, now: Date): number | undefined {
  const count = readDecimal(value);
  if (count !== undefined) return toWaitMs(count, now);
  if (/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+$/.test(value)) {
    const pieces = value.matchAll(/([\d.]+)(h|ms|m|s)/g);
    return [...pieces].reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  }
  const date = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

/** Numbers as large as the seconds or milliseconds since 1970 are a point in time. */
function toWaitMs(count: number, now: Date): number {
  if (count < 1e9) return count * 1000;
  return Math.max(0, (count < 1e11 ? count * 1000 : count) - now.getTime());
}

function readSecondsOrDate(value: string, now: Date): number | undefined {
  const seconds = readDecimal(value);
  if (seconds !== undefined) return seconds * 1000;
  if (!/^[a-z]{3,9},? .*\d:\d/i.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

function readDecimal(value: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function readHeader(header: string | readonly string[] | undefined): readonly string[] {
  return (typeof header === 'string' ? [header] : (header ?? [])).map((value) => value.trim());
}

/**
 * The wait that an error body requests, in milliseconds: in Google's RetryInfo, or in seconds as `retry_after`.
 */
export function readDetailsDelay(value: JsonObject, detail: JsonObject): number | undefined {
  const infos = Array.isArray(detail.details) ? detail.details.slice(0, 20).filter(isObject) : [];
  for (const { retryDelay } of infos) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(nonEmptyString(retryDelay) ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  const metadata = isObject(detail.metadata) ? detail.metadata : {};
  const objects = [detail, value, metadata];
  const seconds = objects.flatMap((each) => [each.retry_after, each.retryAfter, each.retry_after_seconds]);
  const milliseconds = objects.flatMap((each) => [each.retry_after_ms, each.retryAfterMs]);
  const firstSeconds = seconds.map(readCount).find((count) => count !== undefined);
  return firstSeconds === undefined
    ? milliseconds.map(readCount).find((count) => count !== undefined)
    : firstSeconds * 1000;
}

function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count >= 0 ? count : undefined;
}

/** A duration such as `6m0s`, `20 seconds`, `1 hour and 5 minutes`. */
const durationPattern =
  /\b(?:try again|retry(?:ing)?)(?: your request)? (?:in|after) (?:about |~)?((?:\d{1,9}(?:\.\d{1,9})? ?(?:h(?:ou)?rs?|h|ms|min(?:ute)?s?|m|sec(?:ond)?s?|s)(?:,? and |, | )?){1,4})(?![a-z])/i;

/** The wait that a message requests, in milliseconds: "Please try again in 6m0s.", "请在 20 秒后重试". */
export function readMessageDelay(message = ''): number | undefined {
  const durationText = durationPattern.exec(message)?.[1];
  if (durationText !== undefined) {
    const pieces = durationText.toLowerCase().matchAll(/([\d.]+) ?(ms|[hms])/g);
    return [...pieces].reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  }
  const minutes = /(\d{1,6}) ?分钟(?:后|之后|以后)/.exec(message)?.[1];
  if (minutes !== undefined) return Number(minutes) * 60_000;
  const seconds =
    /\bwait (\d{1,9}) seconds before retrying\b/i.exec(message)?.[1] ??
    /(\d{1,9}) ?秒(?:钟)?(?:后|之后|以后)/.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
