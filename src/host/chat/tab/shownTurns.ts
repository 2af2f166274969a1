import type { Conversation } from '../../../conversations/conversation.ts';
import type { ToChatPage } from '../../../protocol/chatPage.ts';
import { comparisonView, leftOut, turnViews } from '../view/chatView.ts';

type PathMessage = Omit<Extract<ToChatPage, { type: 'path' }>, 'seq'>;

/** Which turns the page of a chat shows, so that it is told of the others alone. */
export class ShownTurns {
  /** How many turns the page shows before columns; undefined where it shows none. */
  #trunk: number | undefined;
  #inColumns: ReadonlySet<string> = new Set();

  /** The page was told everything. */
  all({ comparison }: Conversation): void {
    this.#trunk = comparison.isShown ? comparison.trunk : undefined;
    this.#inColumns = new Set(comparison.columns.flat().map(({ id }) => id));
  }

  /** What the page is told of another path. @param kept how many of the first turns stay */
  path(conversation: Conversation, kept: number): PathMessage {
    const { comparison } = conversation;
    const before = this.#trunk ?? Number.POSITIVE_INFINITY;
    const now = comparison.isShown ? comparison.trunk : Number.POSITIVE_INFINITY;
    const shared = Math.min(kept, before, now);
    const message = {
      ...{ type: 'path' as const, kept: shared, turns: turnViews(conversation, shared) },
      ...{ comparison: comparisonView(conversation, this.#inColumns), leftOut: leftOut(conversation) },
    };
    this.all(conversation);
    return message;
  }
}
