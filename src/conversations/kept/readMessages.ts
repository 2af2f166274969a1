import { setImmediate } from 'node:timers/promises';
import type { MessageRecord } from '../record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

/** How many are read at once: as many long replies as the extension host may stand still for. */
const atOnce = 100;

/** Reads all messages of a conversation, parents first, siblings in their order, with pauses for other work. */
export async function readMessages(store: ConversationStore, id: string): Promise<readonly MessageRecord[]> {
  const ids = store.tree(id).map((node) => node.id);
  const messages: MessageRecord[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    messages.push(...store.messages(id, ids.slice(at, at + atOnce)));
    await setImmediate();
  }
  return messages;
}
