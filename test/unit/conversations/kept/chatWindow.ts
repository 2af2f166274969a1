import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { textOf } from '../../../../src/conversations/conversation/reply.ts';
import type { Asking, Prompt } from '../../../../src/conversations/conversation/turn.ts';
import { ConversationKeeper } from '../../../../src/conversations/kept/conversationKeeper.ts';
import { conversationFrom } from '../../../../src/conversations/kept/messageRecords.ts';
import { findAttachments, readMessages } from '../../../../src/conversations/kept/storedMessages.ts';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import { explain } from '../../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../../src/wire/failure.ts';
import type { TestClock } from '../../../support/testClock.ts';
import { failWhenDead, WindowLife } from '../../../support/windowLife.ts';
import type { Remembered } from './remembered.ts';

/** What was deleted in a window and can be brought back. */
export interface Deletion {
  readonly roots: readonly string[];
  /** What was known of its messages before. */
  readonly fates: ReadonlyMap<string, Remembered['fate']>;
}

/** A window that shows a chat, with the code that users run. */
export interface ChatWindow {
  readonly name: string;
  readonly life: WindowLife;
  readonly clock: TestClock;
  readonly store: ConversationStore;
  readonly conversation: Conversation;
  readonly keeper: ConversationKeeper;
  /** The answers that arrive. */
  readonly running: Set<string>;
  /** What is certain once all that the window did is on disk. */
  readonly pending: (() => void)[];
  deletion: Deletion | undefined;
  draft: string;
}

/** A clear no, which costs nothing. */
export const refusal = new GatewayError({
  ...{ kind: 'model-unavailable', status: 404, explanation: explain('gateway-failed', { httpStatus: 404 }) },
  ...{ requestedAt: new Date(7), requestId: 'request' },
});

export function asking(model: string): Asking {
  return { model, format: 'messages', parameters: {} };
}

/** Reads a chat as a window does that opens it. */
export async function readChat(store: ConversationStore, id: string) {
  const messages = await readMessages(store, id);
  const bytes = await findAttachments(store, messages);
  const { conversation, filled } = conversationFrom({ ...store.get(id), messages }, bytes);
  const before = { id, filled, messages: new Set(messages.map((each) => each.id)) };
  return { messages, conversation, before };
}

/** Opens a window with the chat that is there, or else with an empty one. */
export async function openWindow(
  file: string,
  name: string,
  disk: { readonly full: boolean },
  isAlive: (name: string) => boolean,
  empty: Conversation,
  clock: TestClock,
): Promise<ChatWindow> {
  const store = openConversationStore({ file, window: name, now: () => clock.now() });
  await store.recover(isAlive);
  const [listed] = store.list().conversations;
  const read = listed && (await readChat(store, listed.id));
  const conversation = read?.conversation ?? empty;
  const draft = listed && store.drafts.read(listed.id)?.text;
  const life: WindowLife = new WindowLife(() => store.close());
  failWhenDead(store.database, life, disk);
  const onError = (error: unknown) => life.alive && assert.ifError(error);
  const nothing = () => undefined;
  const links = { store: async () => store, facts: () => ({}), onProblem: nothing, onClosed: nothing };
  const keeper = new ConversationKeeper(conversation, { ...links, clock, onError }, read?.before);
  const nothingYet = { running: new Set<string>(), pending: [], deletion: undefined, draft: draft ?? '' };
  return { ...{ name, life, clock, store, conversation, keeper }, ...nothingYet };
}

/** Whether what a window wrote last is on disk. */
export function isSafe({ life, keeper }: ChatWindow): boolean {
  return life.alive && keeper.problem === undefined;
}

/** What a user sees of a chat: the path, what is beside it, and what is compared. */
export function screenOf(conversation: Conversation): unknown {
  const { turns, comparison } = conversation;
  const columns = comparison.columns.flat();
  return {
    ends: comparison.ends,
    turns: [...turns, ...columns].map(({ id, questionId, question, replies }) => ({
      ...{ id, text: replies.map(textOf), prompt: promptOf(question) },
      siblings: [...conversation.siblings(questionId), ...conversation.siblings(id)].filter(isKept),
    })),
  };
}

/** Not so what stands for a missing answer on the screen. */
export function isKept(id: string): boolean {
  return !id.endsWith('+');
}

export function promptOf({ text, images, files = [] }: Prompt): Prompt {
  const pictures = images.map(({ type, mimeType, data }) => ({ type, mimeType, data }));
  return { text, images: pictures, files };
}

/** What a window knows of an answer: all of its own ones, and of others a beginning. */
export function shownText({ conversation, name }: ChatWindow, answer: Remembered): string {
  const [reply] = conversation.answer(answer.id)?.replies ?? [];
  const text = reply ? textOf(reply) : '';
  assert.ok(answer.text.startsWith(text));
  if (answer.window === name) assert.equal(text, answer.text);
  return text;
}
