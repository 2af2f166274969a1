import type { MessageRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { messageTree } from '../reading/messageTree.ts';

/** Messages as they are where each comes after the one it follows, with an id of its own; otherwise put right. */
export function repairedMessages(
  messages: readonly MessageRecord[],
  reading: ConversationReading,
): readonly MessageRecord[] {
  return areInOrder(messages) ? messages : inOrder(messages, reading);
}

function areInOrder(messages: readonly MessageRecord[]): boolean {
  const before = new Set<string>();
  return messages.every(({ id, parent }) => {
    const isRight = !before.has(id) && (parent === undefined || before.has(parent));
    before.add(id);
    return isRight;
  });
}

function inOrder(messages: readonly MessageRecord[], reading: ConversationReading): readonly MessageRecord[] {
  const drafts = messages.map((message) => ({
    id: message.id,
    parent: message.parent,
    role: message.role,
    createdAt: message.createdAt,
    parts: [],
    message,
  }));
  return messageTree(drafts, reading).map(({ id, parent, draft }) => {
    const { message } = draft as (typeof drafts)[number];
    const { parent: _, ...others } = message;
    return { ...others, id, ...(parent !== undefined && { parent }) };
  });
}
