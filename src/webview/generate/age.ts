const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const wholeTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'medium' });
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** How long ago, such as "just now", "5 minutes ago" or "yesterday"; after a week the day. In milliseconds since 1970. */
export function ageOf(at: number, now: number): string {
  if (!isTime(at)) return '';
  const age = now - at;
  if (age < minute) return 'just now';
  if (age < hour) return ago.format(-Math.floor(age / minute), 'minute');
  if (age < day) return ago.format(-Math.floor(age / hour), 'hour');
  if (age < week) return ago.format(-Math.floor(age / day), 'day');
  return wholeDay.format(at);
}

/** The day and the time where the reader is. */
export function absoluteTime(at: number): string {
  return isTime(at) ? wholeTime.format(at) : '';
}

/** Clocks of others may say anything; beyond this no date can be made. */
function isTime(at: number): boolean {
  return Math.abs(at) <= 8.64e15;
}
