import { displayLanguage, t } from './l10n.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** Date formats differ between English-speaking countries: the browser uses the user's own. */
const dateLocale = displayLanguage === 'en' ? undefined : displayLanguage;
const relativeFormat = new Intl.RelativeTimeFormat(displayLanguage, { numeric: 'auto' });
const dateTimeFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'long', timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const isoDayFormat = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/**
 * A duration in its two largest units, such as "0.4 s", "12 s", "2 min 5 s" or "3 h 2 min"; from milliseconds.
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

/** Such as "5 s". */
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

/** A duration to hundredths of a second, such as "0.41 s"; from milliseconds. */
export function formatExactSeconds(ms: number): string {
  return t('{0} s', (ms / second).toFixed(2));
}

/** A duration to be read aloud, in full minutes from one minute on, such as "45 seconds" or "1 minute". */
export function formatSpokenDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [value, unit] = minutes === 0 ? [seconds, 'second'] : [minutes, 'minute'];
  return value.toLocaleString(displayLanguage, { style: 'unit', unit, unitDisplay: 'long' });
}

/** The time of day in the reader's time zone, such as "14:01:02"; from milliseconds since 1970. */
export function formatTimeOfDay(time: number): string {
  return isValidTime(time) ? clockFormat.format(time) : '';
}

/** The day in the reader's time zone, such as "2026-11-20"; from milliseconds since 1970. */
export function formatDay(time: number): string {
  return isValidTime(time) ? isoDayFormat.format(time) : '';
}

/** The time of day, with the day unless it is today; from milliseconds since 1970. */
export function formatShortDateTime(time: number, now: number): string {
  return formatDay(time) === formatDay(now)
    ? formatTimeOfDay(time)
    : `${formatDay(time)} ${formatTimeOfDay(time)}`;
}

/**
 * The age, such as "just now", "5 minutes ago" or "yesterday"; after a week the day. In milliseconds since 1970.
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

/** The day and the time in the reader's time zone; from milliseconds since 1970. */
export function formatLongDateTime(time: number): string {
  return isValidTime(time) ? dateTimeFormat.format(time) : '';
}

/** Whether a number from outside is a valid date. */
function isValidTime(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}
