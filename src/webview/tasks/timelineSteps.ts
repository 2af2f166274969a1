import type { TimelineEntry } from '../../protocol/taskPage.ts';
import { dayOf, duration, timeOfDay } from '../words/times.ts';

/** A step of the timeline: one status of a task. */
export interface Step {
  readonly entry: TimelineEntry;
  readonly time: string;
  /** The day, if it differs from that of the step before; for the first step, if it is not today. */
  readonly day?: string;
  /** How long the task had this status; absent for the last one, and when the clock went backwards. */
  readonly lasted?: string;
}

/** Returns the steps in the order in which the statuses were recorded, whatever the clock said. */
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
