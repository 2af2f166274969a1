import type { Reply } from './reply.ts';
import type { Answer, Prompt, ReplyResult } from './turn.ts';

/** A question or answer of an earlier session, whose reply has ended. */
export interface RestoredMessage {
  readonly id: string;
  /** A message before it in the list; absent at a root. */
  readonly parent: string | undefined;
  readonly content:
    | Prompt
    | (Pick<Answer, 'asked' | 'editOf' | 'unfinished'> & {
        readonly result: ReplyResult;
        readonly replies: readonly Reply[];
      });
  /** The child that was shown last. */
  readonly lastChild?: string | undefined;
}
