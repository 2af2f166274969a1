import type { StorageNotice } from '../storage/followHealth.ts';

/** What the user learns when tasks cannot be stored as they should be. While the ledger is read-only, none is made. */
export type LedgerNotice =
  | StorageNotice
  /** The task was made, and its id is only in memory. Writing it is repeated. */
  | { readonly type: 'unwritten'; readonly taskId: string }
  /** The outcome of a task could not be stored. Writing it is repeated. */
  | { readonly type: 'not-written'; readonly error: unknown }
  /** A request was not sent, because its task could not be stored first. */
  | { readonly type: 'not-sent'; readonly error: unknown };
