import type { Attachment, PortableConversation } from '../formats/portableConversation.ts';
import type { MessageRecord } from '../record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

/** A conversation for an export. */
export interface ReadConversation {
  readonly whole: PortableConversation;
  /** How many attachments it names whose bytes are gone. */
  readonly missing: number;
}

/**
 * Reads a conversation with the bytes of its attachments.
 *
 * @returns undefined when there is none, or it is deleted
 */
export async function readPortable(
  store: ConversationStore,
  id: string,
): Promise<ReadConversation | undefined> {
  const whole = store.whole(id);
  if (!whole || whole.conversation.deletedAt !== undefined) return undefined;
  const hashes = hashesOf(whole.messages);
  const attachments: Attachment[] = [];
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) attachments.push({ hash, bytes });
  }
  return { whole: { ...whole, attachments }, missing: hashes.size - attachments.length };
}

function hashesOf(messages: readonly MessageRecord[]): ReadonlySet<string> {
  const parts = messages.flatMap(({ choices }) => choices.flat());
  return new Set(parts.flatMap((part) => ('hash' in part ? [part.hash] : [])));
}
