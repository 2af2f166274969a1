import { openConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { readMessageText } from '../../../support/conversationStores.ts';
import { createPrompt, readChat } from './chatWindow.ts';
import type { Found } from './remembered.ts';

/** Reads all messages and counted replies from the file, as if it were opened now. */
export async function findAll(
  file: string,
): Promise<{ readonly messages: readonly Found[]; readonly counted: ReadonlySet<string> }> {
  const store = openConversationStore({ file, window: 'last' });
  try {
    await store.stopAbandonedReplies(() => false);
    const found: Found[] = [];
    for (const { id } of store.list().conversations) {
      const { messages, conversation } = await readChat(store, id);
      for (const message of messages) {
        const prompt = createPrompt(conversation.prompt(message.id));
        const { parent, role } = message;
        found.push({
          id: message.id,
          parent,
          text: readMessageText(message),
          ...(role === 'user' && { prompt }),
        });
      }
    }
    const counted = store.database.values('SELECT message FROM usage');
    return { messages: found, counted: new Set(counted.map(([message]) => String(message))) };
  } finally {
    store.close();
  }
}
