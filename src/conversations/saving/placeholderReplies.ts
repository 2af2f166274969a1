import type { Conversation } from '../conversation/conversation.ts';
import { unansweredReply } from './messageRecords.ts';

/**
 * Adds a placeholder reply for the screen below each question without a reply, and removes placeholders that
 * are no longer needed.
 *
 * @param placeholders the ids of the placeholders, which this function updates
 */
export function addPlaceholderReplies(conversation: Conversation, placeholders: Set<string>): void {
  for (const id of [...placeholders]) {
    if (!isNeedlessPlaceholder(conversation, id)) continue;
    conversation.remove(id);
    placeholders.delete(id);
  }
  for (const id of findUnansweredQuestions(conversation)) {
    const placeholder = `${id}+`;
    conversation.mergeChanges([{ id: placeholder, parent: id, content: unansweredReply }], placeholder, []);
    placeholders.add(placeholder);
  }
}

/** Finds the message to remove for `message`: the highest placeholder without another child, or `message`. */
export function findRemovalRoot(
  conversation: Conversation,
  message: string,
  placeholders: ReadonlySet<string>,
): string {
  const parent = conversation.tree.parent(message);
  const isOnlyChild = parent !== undefined && conversation.tree.children(parent).length === 1;
  return isOnlyChild && placeholders.has(parent)
    ? findRemovalRoot(conversation, parent, placeholders)
    : message;
}

/** Lists the highest messages of a subtree that are not placeholders. */
export function listRealRoots(
  conversation: Conversation,
  message: string,
  isPlaceholder: (id: string) => boolean,
): readonly string[] {
  if (!isPlaceholder(message)) return [message];
  return conversation.tree
    .children(message)
    .flatMap((each) => listRealRoots(conversation, each, isPlaceholder));
}

/** Whether a placeholder is a question without replies, or a reply next to another one. */
function isNeedlessPlaceholder(conversation: Conversation, id: string): boolean {
  if (!conversation.tree.has(id)) return true;
  if (conversation.tree.children(id).length > 0) return false;
  return conversation.isQuestion(id) || conversation.tree.siblings(id).length > 1;
}

function findUnansweredQuestions(conversation: Conversation): readonly string[] {
  const ids = conversation.tree.children(undefined).flatMap((root) => conversation.tree.subtree(root));
  return ids.filter((id) => conversation.isQuestion(id) && conversation.tree.children(id).length === 0);
}
