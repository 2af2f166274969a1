import type {
  ChatRequestRecord,
  MessageRecord,
  PartRecord,
} from '../../src/conversations/conversation/conversationRecord.ts';
import type { ReplyResult } from '../../src/conversations/conversation/turn.ts';
import type { AttachedBytes } from '../../src/conversations/saving/messageRecords.ts';
import {
  type ConversationStore,
  openConversationStore,
} from '../../src/conversations/store/conversationStore.ts';
import type { ChatEvent } from '../../src/wire/chatEvent.ts';
import { DatabaseFolder } from './databaseFolder.ts';
import { ManualClock } from './ledgers.ts';

/** @param base64 the attachments of a conversation, by hash */
export function createAttachedBytes(base64: ReadonlyMap<string, string> = new Map()): AttachedBytes {
  return {
    has: (hash) => base64.has(hash),
    readText: (hash) => Buffer.from(base64.get(hash) ?? '', 'base64').toString(),
    readPicture: (hash) => base64.get(hash) ?? '',
  };
}

export const gateway = 'https://gateway.example';

/** Stores on one file, each of a separate window. */
export class StoreFolder {
  readonly #folder = new DatabaseFolder();
  readonly #opened: ConversationStore[] = [];
  readonly clock = new ManualClock();
  readonly file = this.#folder.file('conversations.sqlite');

  open(window = `window ${this.#opened.length}`): ConversationStore {
    const store = openConversationStore({ file: this.file, window, now: this.clock.now });
    this.#opened.push(store);
    return store;
  }

  listNames(): readonly string[] {
    return this.#folder.listNames();
  }

  remove(): void {
    for (const store of this.#opened) store.close();
    this.#folder.remove();
  }
}

export function createTextParts(text: string): readonly PartRecord[] {
  return [{ type: 'text', text: text }];
}

export function createRequest(change: Partial<ChatRequestRecord> = {}): ChatRequestRecord {
  return {
    id: 'request',
    gateway,
    gatewayName: 'work',
    model: 'chat-1',
    requestedAt: Date.UTC(2030, 0, 1),
    ...change,
  };
}

/** Creates the result of a complete reply. */
export function createResult(change: Partial<ReplyResult> = {}): ReplyResult {
  const outcome = { kind: 'complete' } as const;
  return { outcome, requestId: 'request', requestedAt: new Date(7), totalMs: 3, ...change };
}

export function createTextEvent(text: string, choice = 0): ChatEvent {
  return { type: 'text', choice, text };
}

/** The ids of an added question and its reply. */
export interface Exchange {
  readonly question: string;
  readonly reply: string;
}

export function addQuestion(
  store: ConversationStore,
  conversation: string,
  question: string,
  parent = store.get(conversation)?.head,
): Exchange {
  const added = store.addQuestion(conversation, {
    ...(parent !== undefined && { parent }),
    question: { parts: createTextParts(question) },
    replies: [{ request: createRequest() }],
  });
  if (added?.question === undefined || added.replies[0] === undefined)
    throw new Error('The question was not added.');
  return { question: added.question, reply: added.replies[0] };
}

/** Adds a question and its complete reply. */
export function addExchange(
  store: ConversationStore,
  conversation: string,
  question: string,
  replyText: string,
  parent?: string,
): Exchange {
  const added = addQuestion(store, conversation, question, parent);
  finishReply(store, conversation, added.reply, replyText);
  return added;
}

export function finishReply(
  store: ConversationStore,
  conversation: string,
  reply: string,
  fullText: string,
  change: Partial<ChatRequestRecord> = {},
): void {
  store.finish(conversation, reply, {
    choices: [createTextParts(fullText)],
    request: createRequest({ outcome: 'complete', ...change }),
  });
}

/** Adds another reply to a question, or a reply that continues another one. */
export function addReply(
  store: ConversationStore,
  conversation: string,
  parent: string,
  replyText: string,
): string {
  const added = store.addQuestion(conversation, { parent, replies: [{ request: createRequest() }] });
  const id = added?.replies[0];
  if (id === undefined) throw new Error('The question was not added.');
  finishReply(store, conversation, id, replyText);
  return id;
}

/** Reads the text of the first choice. */
export function readMessageText({ choices }: MessageRecord): string {
  return (choices[0] ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Reads the texts of the shown path. */
export function readShownTexts(store: ConversationStore, conversation: string): readonly string[] {
  return store.readPath(conversation).map(readMessageText);
}
