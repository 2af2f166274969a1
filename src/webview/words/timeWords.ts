import { displayLanguage, t } from './l10n.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** Undefined for English, so that the browser uses the date format of the user's own country. */
const dateLocale = displayLanguage === 'en' ? undefined : displayLanguage;
const relativeFormat = new Intl.RelativeTimeFormat(displayLanguage, { numeric: 'auto' });
const dateTimeFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'long', timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const isoDayFormat = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/**
 * Formats a duration in its two largest units, such as "0.4 s", "12 s", "2 min 5 s" or "3 h 2 min".
 * `Intl.DurationFormat` would write "2m 5s" or "2 min, 5 sec" instead.
 */
export function formatDuration(ms: number): string {
  if (ms < 10 * second) return formatInUnit(Math.round(ms / 100) / 10, 's');
  if (ms < minute) return formatInUnit(Math.floor(ms / second), 's');
  if (ms < hour) return formatInUnits(ms, minute, 'min', second, 's');
  if (ms < day) return formatInUnits(ms, hour, 'h', minute, 'min');
  return formatInUnits(ms, day, 'd', hour, 'h');
}

function formatInUnits(ms: number, large: number, largeName: Unit, small: number, smallName: Unit): string {
  const rest = Math.floor((ms % large) / small);
  const largePart = formatInUnit(Math.floor(ms / large), largeName);
  return rest === 0 ? largePart : `${largePart} ${formatInUnit(rest, smallName)}`;
}

type Unit = 's' | 'min' | 'h' | 'd';

/** Formats a count with its unit, such as "5 s". */
export function formatInUnit(count: number, unit: Unit): string {
  switch (unit) {
    case 's':
      return t('{0} s', count);
    case 'min':
      return t('{0} min', count);
    case 'h':
      return t('{0} h', count);
    case 'd':
      return t('{0} d', count);
  }
}

/** Formats a duration to hundredths of a second, such as "0.41 s". */
export function formatExactSeconds(ms: number): string {
  return t('{0} s', (ms / second).toFixed(2));
}

/** Formats a duration to be read aloud, such as "45 seconds"; one minute or more in full minutes. */
export function formatSpokenDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [value, unit] = minutes === 0 ? [seconds, 'second'] : [minutes, 'minute'];
  return value.toLocaleString(displayLanguage, { style: 'unit', unit, unitDisplay: 'long' });
}

/** Formats the time of day in the reader's time zone, such as "14:01:02"; from milliseconds since 1970. */
export function formatTimeOfDay(time: number): string {
  return isValidTime(time) ? clockFormat.format(time) : '';
}

/** Formats the day in the reader's time zone, such as "2026-11-20"; from milliseconds since 1970. */
export function formatDay(time: number): string {
  return isValidTime(time) ? isoDayFormat.format(time) : '';
}

/** Formats the time of day, after the day unless it is today; from milliseconds since 1970. */
export function formatShortDateTime(time: number, now: number): string {
  return formatDay(time) === formatDay(now)
    ? formatTimeOfDay(time)
    : `${formatDay(time)} ${formatTimeOfDay(time)}`;
}

/**
 * Formats an age, such as "just now", "5 minutes ago" or "yesterday"; after a week the day. Both times are in
 * milliseconds since 1970.
 */
export function formatAge(time: number, now: number): string {
  if (!isValidTime(time)) return '';
  const age = now - time;
  if (age < minute) return t('just now');
  if (age < hour) return relativeFormat.format(-Math.floor(age / minute), 'minute');
  if (age < day) return relativeFormat.format(-Math.floor(age / hour), 'hour');
  if (age < week) return relativeFormat.format(-Math.floor(age / day), 'day');
  return dayFormat.format(time);
}

/** Formats the day and the time in the reader's time zone; from milliseconds since 1970. */
export function formatLongDateTime(time: number): string {
  return isValidTime(time) ? dateTimeFormat.format(time) : '';
}

/** Whether `Date` supports a time, which may come from a gateway. */
function isValidTime(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}
