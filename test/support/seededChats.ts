import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import { addExchange, addReply } from './conversationStores.ts';

const dayMs = 24 * 3_600_000;

/** A chat of some days ago. */
export interface SeededChat {
  readonly question: string;
  readonly daysAgo: number;
  readonly title?: string;
  readonly isPinned?: boolean;
  readonly isArchived?: boolean;
}

/** Writes chats to the storage of a window, as an earlier session would have. @returns their ids */
export function storeChats(storage: string, chats: readonly SeededChat[]): readonly string[] {
  mkdirSync(storage, { recursive: true });
  let time = 0;
  const file = join(storage, 'conversations.sqlite');
  const store = openConversationStore({ file, window: 'before', now: () => time });
  try {
    return chats.map(({ question, daysAgo, isPinned, isArchived, title = '' }, nth) => {
      time = Date.now() - daysAgo * dayMs + nth;
      const id = store.create({ title });
      addExchange(store, id, question, `This is about: ${question}`);
      store.database.run("UPDATE messages SET model = 'demo/chat' WHERE role = 'assistant'");
      if (isPinned) store.pin(id, true);
      if (isArchived) store.archive(id, true);
      return id;
    });
  } finally {
    store.close();
  }
}

/**
 * Stores “Birds”, a chat of 150 questions. The tenth reply describes a kingfisher. Question 40 has an alternative
 * version about a quetzal in winter, on a branch that is not shown.
 */
export function storeBranchedChat(storage: string): void {
  const store = openConversationStore({ file: join(storage, 'conversations.sqlite'), window: 'before' });
  try {
    const chat = store.create({ title: 'Birds' });
    let fork = '';
    for (let nth = 0; nth < 150; nth += 1) {
      const added = addExchange(
        store,
        chat,
        `Question ${nth}`,
        nth === 10 ? 'A **king**fisher.' : 'A sparrow.',
      );
      if (nth === 40) fork = added.question;
    }
    const { head } = store.get(chat) ?? {};
    addReply(store, chat, fork, 'It may be a quetzal in winter.');
    if (head !== undefined) store.setHead(chat, head);
  } finally {
    store.close();
  }
}
