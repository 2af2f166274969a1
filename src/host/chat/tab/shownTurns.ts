import type { Conversation } from '../../../conversations/conversation.ts';
import type { Turn } from '../../../conversations/turn.ts';
import type { ToChatPage } from '../../../protocol/chatPage.ts';
import { comparisonView, leftOut, turnViews } from '../view/chatView.ts';

type PathMessage = Omit<Extract<ToChatPage, { type: 'path' }>, 'seq'>;

/** Which turns the page of a chat shows, so that it is told of the others alone. */
export class ShownTurns {
  /** How many turns the page shows before columns; undefined where it shows none. */
  #trunk: number | undefined;
  /** How the turns in columns looked, by their ids. */
  #inColumns: ReadonlyMap<string, string> = new Map();

  /** The page was told everything. */
  all(conversation: Conversation): void {
    const { comparison } = conversation;
    this.#trunk = comparison.isShown ? comparison.trunk : undefined;
    this.#inColumns = new Map(
      comparison.columns.flat().map((turn) => [turn.id, lookOf(conversation, turn)] as const),
    );
  }

  /** What the page is told of another path. @param kept how many of the first turns stay */
  path(conversation: Conversation, kept: number): PathMessage {
    const { comparison } = conversation;
    const before = this.#trunk ?? Number.POSITIVE_INFINITY;
    const now = comparison.isShown ? comparison.trunk : Number.POSITIVE_INFINITY;
    const shared = Math.min(kept, before, now);
    // What arrives in another window may have grown.
    const isKnown = (turn: Turn) =>
      turn.unfinished !== 'elsewhere' && this.#inColumns.get(turn.id) === lookOf(conversation, turn);
    const message = {
      ...{ type: 'path' as const, kept: shared, turns: turnViews(conversation, shared) },
      ...{ comparison: comparisonView(conversation, isKnown), leftOut: leftOut(conversation) },
    };
    this.all(conversation);
    return message;
  }
}

/** Differs where the page has to show something else of a turn that it was not told of by itself. */
function lookOf(conversation: Conversation, { questionId, answerId, unfinished }: Turn): string {
  return JSON.stringify([conversation.siblings(questionId), conversation.siblings(answerId), unfinished]);
}
