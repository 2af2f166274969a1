import { setImmediate } from 'node:timers/promises';
import type { Conversation } from '../conversation/conversation.ts';
import type { AttachedPart, MessageRecord } from '../conversation/record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { type AttachedBytes, attachedParts, type ShownTree, shownTree } from './messageRecords.ts';

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

/** What other windows did to a conversation that is open here. */
export interface Elsewhere extends ShownTree {
  /** The ids of the messages that were read. */
  readonly stored: readonly string[];
  /** The ids of those that were deleted. */
  readonly gone: readonly string[];
  /** The ids of all messages in the store, siblings in their order. */
  readonly order: readonly string[];
  /** The ends of the branches that are shown side by side there. */
  readonly compared: readonly string[] | undefined;
}

/**
 * Reads what the store has of a conversation that is not here yet. It costs what is new, beside a look at the tree.
 *
 * @param kept the ids of the messages here that were in the store
 * @returns undefined where there is nothing new
 * @throws {StorageError}
 */
export async function readElsewhere(
  store: ConversationStore,
  id: string,
  conversation: Conversation,
  kept: ReadonlySet<string>,
): Promise<Elsewhere | undefined> {
  const nodes = store.tree(id);
  // Of a chat that was deleted for good, what is open stays.
  if (nodes.length === 0 && store.lastDeleted(id).length === 0) return undefined;
  const isNew = (each: string) => !kept.has(each) || conversation.answer(each)?.unfinished !== undefined;
  const wanted = nodes.filter((node) => isNew(node.id)).map((node) => node.id);
  const there = new Set(nodes.map((node) => node.id));
  const gone = [...kept].filter((each) => !there.has(each));
  const { head: end, compared } = store.get(id) ?? {};
  // The answer to a question is stored with it or right after it.
  const head = nodes.find((node) => node.id === end)?.role === 'assistant' ? end : undefined;
  const hasMoved = head !== undefined && head !== conversation.head;
  if (wanted.length === 0 && gone.length === 0 && !hasMoved) return undefined;
  const messages = store.messages(id, wanted);
  const bytes = await findAttachments(store, messages);
  const parents = new Map(nodes.map((node) => [node.id, node.parent]));
  const shown = (stored: string) => {
    let above: string | undefined = stored;
    while (above !== undefined && !conversation.has(above)) above = parents.get(above);
    return above;
  };
  const isAnswer = (each: string) => conversation.answer(each) !== undefined;
  const shownMessages = shownTree({ messages, head }, bytes, { shown, isAnswer });
  return { ...shownMessages, gone, stored: wanted, order: [...there], compared };
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
