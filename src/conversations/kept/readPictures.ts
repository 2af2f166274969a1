import type { ConversationStore } from '../store/conversationStore.ts';
import type { Pictures } from './messageRecords.ts';

/** Reads pictures by their hashes, as base64. Those that are gone are missing. */
export async function readPictures(store: ConversationStore, hashes: readonly string[]): Promise<Pictures> {
  const pictures = new Map<string, string>();
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) pictures.set(hash, Buffer.from(bytes).toString('base64'));
  }
  return pictures;
}
