import type { GatewayError } from '../../wire/failure.ts';
import type { FoundTask } from './reconcile.ts';

/** What the watcher reports beside what it writes into the ledger. */
export type WatchEvent =
  /** The task completed or failed. */
  | { readonly type: 'ended'; readonly key: string }
  /** The gateway does not know the task any more. */
  | { readonly type: 'missing'; readonly key: string }
  /** The task was polled for as long as the settings allow, and is not polled any more. */
  | { readonly type: 'timed-out'; readonly key: string }
  /** The window that sent the request died before the reply. */
  | { readonly type: 'unknown'; readonly key: string }
  /** A search found the task at the gateway. */
  | { readonly type: 'found'; readonly key: string; readonly taskId: string }
  /** The task may be one of these, newest first. */
  | { readonly type: 'candidates'; readonly key: string; readonly candidates: readonly FoundTask[] }
  /** The gateway refuses the credential of an account, whose tasks wait for `gatewayChanged`. Reported once. */
  | {
      readonly type: 'paused';
      readonly gateway: string;
      /** As its tasks have it. */
      readonly gatewayName: string;
      readonly error: GatewayError;
    }
  | { readonly type: 'resumed'; readonly gateway: string }
  /** The gateway asked for a long pause, which ends at this time by the wall clock. */
  | {
      readonly type: 'rate-limited';
      readonly gateway: string;
      readonly until: number;
      readonly error: GatewayError;
    }
  /** This window begins or stops polling. */
  | { readonly type: 'leading'; readonly isLeader: boolean }
  /** The machine slept: old connections are dead. Reported before the next poll. */
  | { readonly type: 'woke' }
  /** A result could not be stored, and is polled again. Reported once until storage works again. */
  | { readonly type: 'storage-failed'; readonly error: unknown };
