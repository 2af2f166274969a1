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

/** The attachments of a conversation in memory: base64 by hash. */
export function attached(base64: ReadonlyMap<string, string> = new Map()): AttachedBytes {
  return {
    has: (hash) => base64.has(hash),
    text: (hash) => Buffer.from(base64.get(hash) ?? '', 'base64').toString(),
    picture: (hash) => base64.get(hash) ?? '',
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

  names(): readonly string[] {
    return this.#folder.names();
  }

  remove(): void {
    for (const store of this.#opened) store.close();
    this.#folder.remove();
  }
}

export function text(words: string): readonly PartRecord[] {
  return [{ type: 'text', text: words }];
}

export function request(change: Partial<ChatRequestRecord> = {}): ChatRequestRecord {
  return {
    id: 'request',
    gateway,
    gatewayName: 'work',
    model: 'chat-1',
    requestedAt: Date.UTC(2030, 0, 1),
    ...change,
  };
}

/** The ending of a complete reply. */
export function ending(change: Partial<ReplyResult> = {}): ReplyResult {
  const outcome = { kind: 'complete' } as const;
  return { outcome, requestId: 'request', requestedAt: new Date(7), totalMs: 3, ...change };
}

export function words(text: string, choice = 0): ChatEvent {
  return { type: 'text', choice, text };
}

/** A question that is added below the head. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
}

export function ask(
  store: ConversationStore,
  conversation: string,
  question: string,
  parent = store.get(conversation)?.head,
): Exchange {
  const added = store.addQuestion(conversation, {
    ...(parent !== undefined && { parent }),
    question: { parts: text(question) },
    replies: [{ request: request() }],
  });
  if (added?.question === undefined || added.replies[0] === undefined) throw new Error('It was not asked.');
  return { question: added.question, answer: added.replies[0] };
}

/** Adds a question and its complete reply. */
export function exchange(
  store: ConversationStore,
  conversation: string,
  question: string,
  answer: string,
  parent?: string,
): Exchange {
  const added = ask(store, conversation, question, parent);
  finish(store, conversation, added.answer, answer);
  return added;
}

export function finish(
  store: ConversationStore,
  conversation: string,
  answer: string,
  fullText: string,
  change: Partial<ChatRequestRecord> = {},
): void {
  store.finish(conversation, answer, {
    choices: [text(fullText)],
    request: request({ outcome: 'complete', ...change }),
  });
}

/** Adds another reply to a question, or a reply that continues another one. */
export function again(
  store: ConversationStore,
  conversation: string,
  parent: string,
  answer: string,
): string {
  const added = store.addQuestion(conversation, { parent, replies: [{ request: request() }] });
  const id = added?.replies[0];
  if (id === undefined) throw new Error('It was not asked.');
  finish(store, conversation, id, answer);
  return id;
}

/** The text of the first choice. */
export function textOf({ choices }: MessageRecord): string {
  return (choices[0] ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The texts of the displayed path. */
export function shown(store: ConversationStore, conversation: string): readonly string[] {
  return store.readPath(conversation).map(textOf);
}
