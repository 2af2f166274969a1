import type { Salvaged, WriteProblem } from '../storage/database.ts';

/** What the user learns when tasks cannot be stored as they should be. */
export type LedgerNotice =
  /** The task was made, and its id is only in memory. Writing it is repeated. */
  | { readonly type: 'unwritten'; readonly taskId: string }
  /** The outcome of a task could not be stored. Writing it is repeated. */
  | { readonly type: 'not-written'; readonly error: unknown }
  /** A request was not sent, because its task could not be stored first. */
  | { readonly type: 'not-sent'; readonly error: unknown }
  /** Tasks are shown, but none is made or polled. */
  | { readonly type: 'read-only'; readonly why: 'newer' | WriteProblem; readonly file: string }
  /** A damaged ledger was renamed to `file`, and a new one replaced it. */
  | { readonly type: 'set-aside'; readonly file: string; readonly salvaged: Salvaged | undefined };
