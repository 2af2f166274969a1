import type { CallOptions, Timeouts } from './types.ts';

export const defaultTimeouts: Timeouts = {
  connect: 10_000,
  firstByte: 60_000,
  wholeReply: 600_000,
  idle: 90_000,
  noData: 300_000,
  total: 0,
};

/**
 * Timeouts for a gateway that makes something while the caller waits, and is silent until then: half an hour.
 */
export const generationTimeouts: Partial<Timeouts> = {
  firstByte: 1_800_000,
  idle: 1_800_000,
  noData: 1_800_000,
};

/** What decides the timeouts of a call. */
export interface TimedCall {
  /** Whether the reply comes only once all of it is written, as without a stream. */
  readonly whole?: boolean;
  /** The least timeouts of this kind of call, where those of the client are shorter. */
  readonly minTimeouts?: Partial<Timeouts>;
  readonly options: Pick<CallOptions, 'timeouts'>;
}

/** The timeouts of a call: its own come first, then those of its kind, then those of the client. */
export function timeoutsOf(
  { whole = false, minTimeouts = {}, options }: TimedCall,
  ofClient: Timeouts,
): Timeouts {
  const asked = { ...ofClient, ...options.timeouts };
  return { ...atLeast(whole ? forWholeReply(asked) : asked, minTimeouts), ...options.timeouts };
}

/** A gateway may send the headers at once and the body when it is complete. */
function forWholeReply(timeouts: Timeouts): Timeouts {
  const { wholeReply, idle, noData } = timeouts;
  return {
    ...timeouts,
    firstByte: wholeReply,
    idle: longer(idle, wholeReply),
    noData: longer(noData, wholeReply),
  };
}

function longer(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.max(a, b);
}

/** A timeout of 0 means no limit and stays 0. */
function atLeast(timeouts: Timeouts, minTimeouts: Partial<Timeouts>): Timeouts {
  const longer = (Object.entries(minTimeouts) as [keyof Timeouts, number][]).filter(
    ([name, limit]) => timeouts[name] > 0 && timeouts[name] < limit,
  );
  return { ...timeouts, ...Object.fromEntries(longer) };
}
