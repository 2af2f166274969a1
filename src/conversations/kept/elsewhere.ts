import type { Conversation } from '../conversation.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { type ShownTree, shownTree } from './messageRecords.ts';
import { findAttachments } from './storedMessages.ts';

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
