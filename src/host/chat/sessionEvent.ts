import type { ReplyDelta } from '../../protocol/chatTurn.ts';

/** An event of a session, for the page that shows it. */
export type SessionEvent =
  /** The conversation holds another state of a turn. */
  | { readonly type: 'turn'; readonly turnId: string }
  | { readonly type: 'deltas'; readonly turnId: string; readonly deltas: readonly ReplyDelta[] }
  /** Another path is shown after its first turns, whose number is `kept`. */
  | { readonly type: 'path'; readonly kept: number }
  /** The model, the format or the notice about them changed. */
  | { readonly type: 'target' }
  /** The user gave the chat another title. */
  | { readonly type: 'title' }
  /** Messages were deleted, or are back. */
  | { readonly type: 'deleted' }
  /** A reply began or ended. */
  | { readonly type: 'streaming' }
  /** A question was not sent. Its text goes back into the message box. */
  | { readonly type: 'unsent'; readonly text: string };
