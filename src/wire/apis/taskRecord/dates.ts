import { isObject, nonEmptyString } from '../../../base/json.ts';

/** So many numbers of a unit are the year 5138 as the next larger unit. */
const minMilliseconds = 1e11;
const minMicroseconds = 1e14;
const minNanoseconds = 1e17;

/**
 * Reads a time in any unit and notation of the known records. 0 and "" mean a time that has not come. Without
 * a zone, `2025-09-25 11:07:28` and `20250925110728` are China time, as their vendors document.
 */
export function dateIn(value: unknown): Date | undefined {
  if (typeof value === 'number') return ofNumber(value);
  if (isObject(value)) return ofObject(value);
  const text = nonEmptyString(value)?.trim();
  if (text === undefined || text.length > 64) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return ofNumber(Number(text));
  // The format of mail, with its zone.
  if (/^([a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(:\d\d)? (gmt|utc|z|[+-]\d{4})$/i.test(text))
    return dateOf(Date.parse(text));
  return ofIso(text.replace(/^(\d{4})\/(\d\d)\/(\d\d)/, '$1-$2-$3'));
}

function ofNumber(value: number): Date | undefined {
  const compact = /^(20\d\d)([01]\d)([0-3]\d)([0-2]\d)([0-5]\d)([0-5]\d)$/.exec(String(value));
  if (compact) {
    const [, year, month, day, hour, minute, second] = compact;
    return ofIso(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
  }
  if (value < minMilliseconds) return dateOf(value * 1000);
  if (value < minMicroseconds) return dateOf(value);
  return dateOf(Math.floor(value < minNanoseconds ? value / 1e3 : value / 1e6));
}

/** Protocol buffers, Firestore and MongoDB write times as objects. */
function ofObject({ seconds, nanos, _seconds, _nanoseconds, $date }: Readonly<Record<string, unknown>>) {
  if ($date !== undefined) return isObject($date) ? undefined : dateIn($date);
  const whole = Number(nonEmptyString(seconds ?? _seconds) ?? seconds ?? _seconds);
  const fraction = Number(nanos ?? _nanoseconds ?? 0);
  return Number.isFinite(whole) && Number.isFinite(fraction) && whole < minMilliseconds
    ? dateOf(whole * 1000 + fraction / 1e6)
    : undefined;
}

function ofIso(text: string): Date | undefined {
  const [, date, time, zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,12})?)?) ?(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
      text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
    ) ?? [];
  if (date === undefined || time === undefined)
    return date === undefined ? undefined : dateOf(Date.parse(date));
  const usual = text.includes(' ') && zone === '' ? '+08:00' : zoneOf(zone);
  return dateOf(Date.parse(`${date}T${time.replace(',', '.')}${usual}`));
}

function zoneOf(zone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
}

function dateOf(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return milliseconds > 0 && Number.isFinite(date.getTime()) ? date : undefined;
}
