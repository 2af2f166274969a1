import type { Conversation } from '../conversation/conversation.ts';
import { unansweredReply } from './messageRecords.ts';

/**
 * Adds a placeholder reply for the screen below each question without a reply, and removes placeholders that
 * are no longer needed.
 *
 * @param placeholders their ids, which this function updates
 */
export function addPlaceholderReplies(conversation: Conversation, placeholders: Set<string>): void {
  for (const id of [...placeholders]) {
    if (!isNeedlessPlaceholder(conversation, id)) continue;
    conversation.remove(id);
    placeholders.delete(id);
  }
  for (const id of unansweredQuestions(conversation)) {
    const placeholder = `${id}+`;
    conversation.mergeChanges([{ id: placeholder, parent: id, content: unansweredReply }], placeholder, []);
    placeholders.add(placeholder);
  }
}

/** A message, or the highest placeholder above it that exists only for it. */
export function outermost(
  conversation: Conversation,
  message: string,
  placeholders: ReadonlySet<string>,
): string {
  const above = conversation.tree.parent(message);
  const isOnly = above !== undefined && conversation.tree.children(above).length === 1;
  return isOnly && placeholders.has(above) ? outermost(conversation, above, placeholders) : message;
}

/** The outermost messages of a subtree, without placeholders. */
export function outermostReal(
  conversation: Conversation,
  message: string,
  isPlaceholder: (id: string) => boolean,
): readonly string[] {
  if (!isPlaceholder(message)) return [message];
  return conversation.tree
    .children(message)
    .flatMap((each) => outermostReal(conversation, each, isPlaceholder));
}

/** A reply next to a real one, or a question without replies. */
function isNeedlessPlaceholder(conversation: Conversation, id: string): boolean {
  if (!conversation.tree.has(id)) return true;
  if (conversation.tree.children(id).length > 0) return false;
  return conversation.isQuestion(id) || conversation.tree.siblings(id).length > 1;
}

function unansweredQuestions(conversation: Conversation): readonly string[] {
  const ids = conversation.tree.children(undefined).flatMap((root) => conversation.tree.below(root));
  return ids.filter((id) => conversation.isQuestion(id) && conversation.tree.children(id).length === 0);
}
