import type { TimelineEntry } from '../../protocol/taskPage.ts';
import { dayOf, duration, timeOfDay } from '../words/times.ts';

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
