import { setImmediate } from 'node:timers/promises';
import type { Conversation } from '../conversation/conversation.ts';
import type { AttachedPart, MessageRecord } from '../conversation/conversationRecord.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { type AttachedBytes, createShownTree, listAttachedParts, type ShownTree } from './messageRecords.ts';

/** The number of messages that are read without a pause: long replies must not block the extension host. */
const messagesAtOnce = 100;

/** The number of files that are checked without a pause. */
const filesAtOnce = 200;

/** Reads all messages of a conversation, parents first, siblings in their order, with pauses for other work. */
export async function readAllMessages(
  store: ConversationStore,
  id: string,
): Promise<readonly MessageRecord[]> {
  const ids = store.readTree(id).map((node) => node.id);
  const messages: MessageRecord[] = [];
  for (let start = 0; start < ids.length; start += messagesAtOnce) {
    messages.push(...store.readMessages(id, ids.slice(start, start + messagesAtOnce)));
    await setImmediate();
  }
  return messages;
}

/** The changes of other windows to a conversation that is open here. */
export interface ExternalChanges extends ShownTree {
  /** The ids of the stored messages that were read. */
  readonly stored: readonly string[];
  /** The ids of the deleted messages. */
  readonly deleted: readonly string[];
  /** The ids of all messages in the store, siblings in their order. */
  readonly order: readonly string[];
  /** The ends of the branches that are shown side by side there. */
  readonly compared: readonly string[] | undefined;
}

/**
 * Reads the part of a stored conversation that is new to this window. Of the other messages, only the positions
 * in the tree are read.
 *
 * @param storedIds the ids of the messages here that were in the store
 * @returns undefined if there are no changes
 * @throws {StorageError}
 */
export async function readExternalChanges(
  store: ConversationStore,
  id: string,
  conversation: Conversation,
  storedIds: ReadonlySet<string>,
): Promise<ExternalChanges | undefined> {
  const nodes = store.readTree(id);
  // A purged chat remains open in this window.
  if (nodes.length === 0 && store.findLastDeleted(id).length === 0) return undefined;
  const isNew = (each: string) => !storedIds.has(each) || conversation.reply(each)?.unfinished !== undefined;
  const newIds = nodes.filter((node) => isNew(node.id)).map((node) => node.id);
  const nodeIds = new Set(nodes.map((node) => node.id));
  const deleted = [...storedIds].filter((each) => !nodeIds.has(each));
  const { head: storedHead, compared } = store.get(id) ?? {};
  // A question is the head only until its reply is stored, at the same time or right after it.
  const head = nodes.find((node) => node.id === storedHead)?.role === 'assistant' ? storedHead : undefined;
  const hasMoved = head !== undefined && head !== conversation.tree.head;
  if (newIds.length === 0 && deleted.length === 0 && !hasMoved) return undefined;
  const messages = store.readMessages(id, newIds);
  const bytes = await findAttachments(store, messages);
  const parents = new Map(nodes.map((node) => [node.id, node.parent]));
  const findShown = (stored: string) => {
    let ancestor: string | undefined = stored;
    while (ancestor !== undefined && !conversation.tree.has(ancestor)) ancestor = parents.get(ancestor);
    return ancestor;
  };
  const isReply = (each: string) => conversation.reply(each) !== undefined;
  const shownTree = createShownTree({ messages, head }, bytes, { findShown, isReply });
  return { ...shownTree, deleted, stored: newIds, order: [...nodeIds], compared };
}

/** Reads the texts attached to messages, and checks which pictures exist. */
export async function findAttachments(
  store: ConversationStore,
  messages: readonly MessageRecord[],
): Promise<AttachedBytes> {
  const parts = new Map(listAttachedParts(messages).map((part): [string, AttachedPart] => [part.hash, part]));
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
    readText: (hash) => texts.get(hash) ?? '',
    readPicture: (hash) => encodeBase64(store.attachments.readSync(hash)),
  };
}

/** Reads pictures by their hashes, as base64. Missing pictures are omitted. */
export async function readPictures(
  store: ConversationStore,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const pictures = new Map<string, string>();
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) pictures.set(hash, encodeBase64(bytes));
  }
  return pictures;
}

function encodeBase64(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
