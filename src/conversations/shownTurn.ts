import type { Conversation } from './conversation/conversation.ts';

/** The id of the turn to which a message belongs, on the path that is shown; undefined for one beside it. */
export function shownTurnOf(conversation: Conversation, messageId: string): string | undefined {
  const turns = new Set(conversation.turns.map(({ id }) => id));
  let turn: string | undefined;
  for (let id = conversation.head; id !== undefined; id = conversation.above(id)) {
    if (turns.has(id)) turn = id;
    if (id === messageId) return turn;
  }
  return undefined;
}
