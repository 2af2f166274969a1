import { isObject, type JsonObject, nonEmptyString } from '../base/json.ts';

/** How long an error body asks to wait, in milliseconds: in Google's RetryInfo, or in seconds as `retry_after`. */
export function delayOfDetails(value: JsonObject, detail: JsonObject): number | undefined {
  const infos = Array.isArray(detail.details) ? detail.details.slice(0, 20).filter(isObject) : [];
  for (const { retryDelay } of infos) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(nonEmptyString(retryDelay) ?? '')?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  const metadata = isObject(detail.metadata) ? detail.metadata : {};
  const told = [detail.retry_after, value.retry_after, metadata.retry_after_seconds];
  const seconds = told.find((each) => typeof each === 'number' && each >= 0);
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** How long a message asks to wait, in milliseconds: "Please try again in 6m0s.", "请在 20 秒后重试". */
export function delayOfMessage(message = ''): number | undefined {
  const told =
    /\b(?:try again|retry)(?: your request)? (?:in|after) ~?((?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+)(?![a-z])/i.exec(
      message,
    )?.[1];
  if (told !== undefined) {
    const pieces = [...told.toLowerCase().matchAll(/([\d.]+)(h|ms|m|s)/g)];
    return pieces.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  }
  const seconds =
    /\b(?:try again|retry) (?:in|after) ~?(\d{1,9}(?:\.\d{1,9})?) ?sec(?:ond)?s?\b/i.exec(message)?.[1] ??
    /\bwait (\d{1,9}) seconds before retrying\b/i.exec(message)?.[1] ??
    /(\d{1,9}) ?秒(?:钟)?(?:后|之后|以后)/.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
