import type { ConversationStore } from '../store/conversationStore.ts';
import type { AttachedBytes } from './messageRecords.ts';

/** Reads pictures by their hashes, as base64. Those that are gone are missing. */
export async function readAttachments(
  store: ConversationStore,
  hashes: readonly string[],
): Promise<AttachedBytes> {
  const pictures = new Map<string, string>();
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) pictures.set(hash, Buffer.from(bytes).toString('base64'));
  }
  return pictures;
}
