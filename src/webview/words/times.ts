import type { TimelineEntry } from '../../protocol/taskPage.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in its two largest units, such as "0.4 s", "12 s", "2 min 5 s" or "3 h 2 min"; from milliseconds. */
export function duration(ms: number): string {
  if (ms < 10 * second) return `${Math.round(ms / 100) / 10} s`;
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return inUnits(ms, minute, 'min', second, 's');
  if (ms < day) return inUnits(ms, hour, 'h', minute, 'min');
  return inUnits(ms, day, 'd', hour, 'h');
}

function inUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** The time of day where the reader is, such as "14:01:02". */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** The day where the reader is, such as "2026-11-20". */
export function dayOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

/** The time of day, with the day unless it is today. */
export function when(at: number, now: number): string {
  return dayOf(at) === dayOf(now) ? timeOfDay(at) : `${dayOf(at)} ${timeOfDay(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** A state of a task as the timeline shows it. */
export interface Step {
  readonly entry: TimelineEntry;
  readonly time: string;
  /** Where it is not the day of the step before; for the first, not today. */
  readonly day?: string;
  /** How long the task stayed in this state; absent on the last, and where the clock went backwards. */
  readonly lasted?: string;
}

/** The states in the order they were seen in, whatever the clock said. */
export function stepsOf(entries: readonly TimelineEntry[], now: number): readonly Step[] {
  return entries.map((entry, index) => {
    const before = entries[index - 1]?.at ?? now;
    const after = entries[index + 1]?.at;
    return {
      entry,
      time: timeOfDay(entry.at),
      ...(dayOf(entry.at) === dayOf(before) ? {} : { day: dayOf(entry.at) }),
      ...(after === undefined || after < entry.at ? {} : { lasted: duration(after - entry.at) }),
    };
  });
}
