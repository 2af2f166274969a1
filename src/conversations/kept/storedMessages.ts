import { setImmediate } from 'node:timers/promises';
import type { AttachedPart, MessageRecord } from '../record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { type AttachedBytes, attachedParts } from './messageRecords.ts';

/** How many messages are read before other work has its turn: even long replies must not stop the extension host. */
const messagesAtOnce = 100;

/** How many files are looked for before other work has its turn. */
const filesAtOnce = 200;

/** Reads all messages of a conversation, parents first, siblings in their order, with pauses for other work. */
export async function readMessages(store: ConversationStore, id: string): Promise<readonly MessageRecord[]> {
  const ids = store.tree(id).map((node) => node.id);
  const messages: MessageRecord[] = [];
  for (let at = 0; at < ids.length; at += messagesAtOnce) {
    messages.push(...store.messages(id, ids.slice(at, at + messagesAtOnce)));
    await setImmediate();
  }
  return messages;
}

/** Reads the texts that messages attach, and finds out which pictures are there. */
export async function findAttachments(
  store: ConversationStore,
  messages: readonly MessageRecord[],
): Promise<AttachedBytes> {
  const parts = new Map(attachedParts(messages).map((part): [string, AttachedPart] => [part.hash, part]));
  const texts = new Map<string, string>();
  const pictures = new Set<string>();
  let count = 0;
  for (const [hash, { type }] of parts) {
    if (++count % filesAtOnce === 0) await setImmediate();
    if (type === 'image') {
      if (store.attachments.has(hash)) pictures.add(hash);
      continue;
    }
    const bytes = await store.attachments.read(hash);
    if (bytes) texts.set(hash, Buffer.from(bytes).toString());
  }
  return {
    has: (hash) => pictures.has(hash) || texts.has(hash),
    text: (hash) => texts.get(hash) ?? '',
    picture: (hash) => base64(store.attachments.readNow(hash)),
  };
}

/** Reads pictures by their hashes, as base64. Those that are gone are missing. */
export async function readPictures(
  store: ConversationStore,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const pictures = new Map<string, string>();
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) pictures.set(hash, base64(bytes));
  }
  return pictures;
}

function base64(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
