import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { ConversationService } from '../../src/conversations/conversationService.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { Services } from '../../src/host/app/services.ts';
import { createConversationService } from '../../src/host/chat/chatServices.ts';
import type { ParameterStore } from '../../src/host/chat/parameters/store/parameterStore.ts';
import { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { FormatChoice } from '../../src/host/models/formatChoice.ts';
import { ModelRules } from '../../src/host/models/modelRules.ts';
import { readShownTexts } from './conversationStores.ts';

/** Chats of the running extension that are stored in a folder of the test. */
export class ChatsOnDisk {
  readonly conversations: ConversationService;
  readonly #services: Services;
  readonly #parameters: ParameterStore;
  readonly #sessions: ChatSession[] = [];

  /** @param storage the path of the folder, which may be missing */
  static async open(services: Services, storage: string): Promise<ChatsOnDisk> {
    return new ChatsOnDisk(services, await services.loadParameterStore(), storage);
  }

  private constructor(services: Services, parameters: ParameterStore, storage: string) {
    this.#services = services;
    this.#parameters = parameters;
    const context = { globalStorageUri: vscode.Uri.file(storage) } as vscode.ExtensionContext;
    this.conversations = createConversationService(context, services.chatWorker, services.log);
  }

  /** Adds an empty chat with a model. */
  add(model: string): ChatSession {
    return this.#add({ model });
  }

  /** Opens a stored chat again; undefined if it is not stored. */
  async reopen(id: string): Promise<ChatSession | undefined> {
    const reopened = await this.conversations.reopen(id);
    return reopened && this.#add({ reopened, model: reopened.record.model });
  }

  /** Ends all chats, as closing the window does. */
  async close(): Promise<void> {
    for (const chat of this.#sessions) chat.dispose();
    await this.conversations.dispose();
  }

  #add(start: ConstructorParameters<typeof ChatSession>[1]): ChatSession {
    const { connection, modelChoices, log, memory } = this.#services;
    const formats = new FormatChoice(memory, () => new ModelRules());
    const { conversations } = this;
    const chat = new ChatSession(
      { connection, modelChoices, formats, parameterStore: this.#parameters, conversations, log },
      start,
    );
    this.#sessions.push(chat);
    return chat;
  }
}

/** Lists the questions and replies in order. */
export function listMessageTexts({ conversation }: ChatSession): readonly string[] {
  return conversation.turns.flatMap(({ question, replies: [reply] }) => [
    question.text,
    reply ? replyText(reply) : '',
  ]);
}

/** Reads the stored messages of a chat from a file, as another window does. */
export function readStoredMessages(file: string, { id }: ChatSession): readonly string[] {
  const store = openConversationStore({ file, window: 'reader' });
  try {
    return readShownTexts(store, id);
  } finally {
    store.close();
  }
}
