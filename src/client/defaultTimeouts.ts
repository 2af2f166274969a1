import type { CallOptions, Timeouts } from './types.ts';

export const defaultTimeouts: Timeouts = {
  connect: 10_000,
  firstByte: 60_000,
  wholeReply: 600_000,
  idle: 90_000,
  noData: 300_000,
  total: 0,
};

/** Timeouts for a gateway that is silent until it has generated the result: half an hour. */
export const generationTimeouts: Partial<Timeouts> = {
  firstByte: 1_800_000,
  idle: 1_800_000,
  noData: 1_800_000,
};

/** The parts of a call that determine its timeouts. */
export interface TimedCall {
  /** Whether the gateway sends the reply only when it is complete, as without a stream. */
  readonly isUnstreamed?: boolean;
  /** The minimum timeouts of this kind of call. They replace shorter timeouts of the client. */
  readonly minTimeouts?: Partial<Timeouts>;
  readonly options: Pick<CallOptions, 'timeouts'>;
}

/**
 * Resolves the timeouts of a call. Its own options take precedence over the minimum of its kind, which takes
 * precedence over the timeouts of the client.
 */
export function resolveTimeouts(
  { isUnstreamed = false, minTimeouts = {}, options }: TimedCall,
  clientTimeouts: Timeouts,
): Timeouts {
  const baseTimeouts = { ...clientTimeouts, ...options.timeouts };
  return {
    ...raiseTimeouts(isUnstreamed ? adaptToUnstreamedReply(baseTimeouts) : baseTimeouts, minTimeouts),
    ...options.timeouts,
  };
}

/** Replaces the shorter timeouts, because the gateway may send the headers at once and the body much later. */
function adaptToUnstreamedReply(timeouts: Timeouts): Timeouts {
  const { wholeReply, idle, noData } = timeouts;
  return {
    ...timeouts,
    firstByte: wholeReply,
    idle: chooseLongerTimeout(idle, wholeReply),
    noData: chooseLongerTimeout(noData, wholeReply),
  };
}

function chooseLongerTimeout(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

/** A timeout of 0 means no limit and stays 0. */
function raiseTimeouts(timeouts: Timeouts, minTimeouts: Partial<Timeouts>): Timeouts {
  const raised = (Object.entries(minTimeouts) as [keyof Timeouts, number][]).filter(
    ([name, limit]) => timeouts[name] > 0 && timeouts[name] < limit,
  );
  return { ...timeouts, ...Object.fromEntries(raised) };
}
