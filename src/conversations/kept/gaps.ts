import type { Conversation } from '../conversation/conversation.ts';
import { unanswered } from './messageRecords.ts';

/**
 * Fills in a message for the screen below each question without an answer, and takes out those that fill nothing any
 * more.
 *
 * @param filled the ids of the messages that fill gaps, which it keeps up to date
 */
export function fillGaps(conversation: Conversation, filled: Set<string>): void {
  for (const id of [...filled]) if (fillsNothing(conversation, id)) remove(conversation, id, filled);
  for (const id of withoutAnswer(conversation)) {
    const answer = `${id}+`;
    conversation.takeOver([{ id: answer, parent: id, content: unanswered }], answer, []);
    filled.add(answer);
  }
}

/** A message, or the one above that is there only to fill the gap above it. */
export function outermost(conversation: Conversation, message: string, filled: ReadonlySet<string>): string {
  const above = conversation.above(message);
  const isOnly = above !== undefined && conversation.following(above).length === 1;
  return isOnly && filled.has(above) ? outermost(conversation, above, filled) : message;
}

/** The outermost messages among one and all that follows it, without those that fill gaps. */
export function outermostReal(
  conversation: Conversation,
  message: string,
  fills: (id: string) => boolean,
): readonly string[] {
  if (!fills(message)) return [message];
  return conversation.following(message).flatMap((each) => outermostReal(conversation, each, fills));
}

/** An answer beside a real one, or a question without any. */
function fillsNothing(conversation: Conversation, id: string): boolean {
  if (!conversation.has(id)) return true;
  if (conversation.following(id).length > 0) return false;
  return conversation.isQuestion(id) || conversation.siblings(id).length > 1;
}

function remove(conversation: Conversation, id: string, filled: Set<string>): void {
  conversation.remove(id);
  filled.delete(id);
}

function withoutAnswer(conversation: Conversation): readonly string[] {
  const all = conversation.following(undefined).flatMap((root) => conversation.below(root));
  return all.filter((id) => conversation.isQuestion(id) && conversation.following(id).length === 0);
}
