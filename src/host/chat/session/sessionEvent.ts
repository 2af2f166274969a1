import type { ReplyDelta } from '../../../protocol/chatTurn.ts';

/** An event of a chat session, for the page of the chat. */
export type SessionEvent =
  /** The state of a turn changed. */
  | { readonly type: 'turn'; readonly turnId: string }
  /** Parts of a reply arrived. */
  | { readonly type: 'deltas'; readonly turnId: string; readonly deltas: readonly ReplyDelta[] }
  /** The path changed after the first `unchangedTurns` turns. */
  | { readonly type: 'path'; readonly unchangedTurns: number }
  /** The target of the next question changed, or the notice about the target. */
  | { readonly type: 'target' }
  /** The title of the chat changed, in this window or another window. */
  | { readonly type: 'title' }
  /** Messages were deleted or restored. */
  | { readonly type: 'deleted' }
  /** A reply began or ended. */
  | { readonly type: 'streaming' }
  /** A question was not sent. Its text was put back into the message box. */
  | { readonly type: 'unsent'; readonly text: string };
