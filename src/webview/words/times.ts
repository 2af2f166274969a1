import { displayLanguage, t } from './l10n.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** English is of many countries, each with its dates: the browser knows which one. */
const dates = displayLanguage === 'en' ? undefined : displayLanguage;
const ago = new Intl.RelativeTimeFormat(displayLanguage, { numeric: 'auto' });
const wholeTime = new Intl.DateTimeFormat(dates, { dateStyle: 'long', timeStyle: 'medium' });
const wholeDay = new Intl.DateTimeFormat(dates, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const isoDay = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/**
 * A duration in its two largest units, such as "0.4 s", "12 s", "2 min 5 s" or "3 h 2 min"; from milliseconds.
 * `Intl.DurationFormat` writes "2m 5s" at its shortest with a unit, or "2 min, 5 sec".
 */
export function duration(ms: number): string {
  if (ms < 10 * second) return inUnit(Math.round(ms / 100) / 10, 's');
  if (ms < minute) return inUnit(Math.floor(ms / second), 's');
  if (ms < hour) return inUnits(ms, minute, 'min', second, 's');
  if (ms < day) return inUnits(ms, hour, 'h', minute, 'min');
  return inUnits(ms, day, 'd', hour, 'h');
}

function inUnits(ms: number, large: number, largeName: Unit, small: number, smallName: Unit): string {
  const rest = Math.floor((ms % large) / small);
  const whole = inUnit(Math.floor(ms / large), largeName);
  return rest === 0 ? whole : `${whole} ${inUnit(rest, smallName)}`;
}

type Unit = 's' | 'min' | 'h' | 'd';

/** Such as "5 s". */
export function inUnit(count: number, unit: Unit): string {
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
export function exactSeconds(ms: number): string {
  return t('{0} s', (ms / second).toFixed(2));
}

/** A duration to be read aloud, in full minutes once there is one, such as "45 seconds" or "1 minute". */
export function spokenDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [value, unit] = minutes === 0 ? [seconds, 'second'] : [minutes, 'minute'];
  return value.toLocaleString(displayLanguage, { style: 'unit', unit, unitDisplay: 'long' });
}

/** The time of day where the reader is, such as "14:01:02"; from milliseconds since 1970. */
export function timeOfDay(at: number): string {
  return isTime(at) ? clock.format(at) : '';
}

/** The day where the reader is, such as "2026-11-20"; from milliseconds since 1970. */
export function dayOf(at: number): string {
  return isTime(at) ? isoDay.format(at) : '';
}

/** The time of day, with the day unless it is today; from milliseconds since 1970. */
export function when(at: number, now: number): string {
  return dayOf(at) === dayOf(now) ? timeOfDay(at) : `${dayOf(at)} ${timeOfDay(at)}`;
}

/** How long ago, such as "just now", "5 minutes ago" or "yesterday"; after a week the day. In milliseconds since 1970. */
export function ageOf(at: number, now: number): string {
  if (!isTime(at)) return '';
  const age = now - at;
  if (age < minute) return t('just now');
  if (age < hour) return ago.format(-Math.floor(age / minute), 'minute');
  if (age < day) return ago.format(-Math.floor(age / hour), 'hour');
  if (age < week) return ago.format(-Math.floor(age / day), 'day');
  return wholeDay.format(at);
}

/** The day and the time where the reader is; from milliseconds since 1970. */
export function absoluteTime(at: number): string {
  return isTime(at) ? wholeTime.format(at) : '';
}

/** Whether a time from outside can be a date. */
function isTime(at: number): boolean {
  return Math.abs(at) <= 8.64e15;
}
