import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { CallOptions } from './types.ts';

/** The identity of a call, for its result and its failure. */
export interface CallIdentity {
  readonly requestId: string;
  readonly requestedAt: Date;
  /** When the call began, by `performance.now()`. */
  readonly startedAt: number;
}

/** Starts a call: the caller's request id or a random one, and the time by both clocks. */
export function identify(options: CallOptions): CallIdentity {
  return {
    requestId: options.requestId ?? randomUUID(),
    requestedAt: new Date(),
    startedAt: performance.now(),
  };
}
