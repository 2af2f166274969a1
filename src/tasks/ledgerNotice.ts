import type { Obstacle, Salvaged } from '../storage/database.ts';

/** What the user is to be told when tasks cannot be written down as they should be. */
export type LedgerNotice =
  /** The task was made, and its id is only in memory as yet; that is tried again. */
  | { readonly type: 'unwritten'; readonly taskId: string }
  /** What became of a task could not be written down, and is tried again. */
  | { readonly type: 'not-written'; readonly error: unknown }
  /** A request was not sent, since that could not be written down first. */
  | { readonly type: 'not-sent'; readonly error: unknown }
  /** Tasks are shown, and none is made or watched. */
  | { readonly type: 'read-only'; readonly why: 'newer' | Obstacle; readonly file: string }
  /** A damaged ledger is at `file` now, and another took its place. */
  | { readonly type: 'set-aside'; readonly file: string; readonly salvaged: Salvaged | undefined };
