import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../../src/conversations/conversation/reply.ts';
import type { Prompt, ReplySettings } from '../../../../src/conversations/conversation/turn.ts';
import { ConversationSaver } from '../../../../src/conversations/saving/conversationSaver.ts';
import { restoreConversation } from '../../../../src/conversations/saving/messageRecords.ts';
import type { StoredConversationState } from '../../../../src/conversations/saving/saverOptions.ts';
import { findAttachments, readAllMessages } from '../../../../src/conversations/saving/storedMessages.ts';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import { explain } from '../../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../../src/wire/failures/gatewayError.ts';
import type { TestClock } from '../../../support/testClock.ts';
import { failWhenDead, WindowLife } from '../../../support/windowLife.ts';
import type { Remembered } from './remembered.ts';

/** A deletion in a window that can be undone. */
export interface Deletion {
  readonly roots: readonly string[];
  /** The fates of its messages before the deletion. */
  readonly fates: ReadonlyMap<string, Remembered['fate']>;
}

/** A window that shows a chat, with the code that users run. */
export interface ChatWindow {
  readonly name: string;
  readonly life: WindowLife;
  readonly clock: TestClock;
  readonly store: ConversationStore;
  readonly conversation: Conversation;
  readonly saver: ConversationSaver;
  /** The ids of the replies that are arriving. */
  readonly running: Set<string>;
  /** Called once all changes of the window are on disk. They record the results that are then certain. */
  readonly pending: (() => void)[];
  deletion: Deletion | undefined;
  draft: string;
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A picture in questions. */
export const picture = { type: 'image', mimeType: 'image/png', data: pixel } as const;

/** A clear refusal, which costs nothing. */
export const refusal = new GatewayError({
  kind: 'model-unavailable',
  status: 404,
  explanation: explain('gateway-failed', { httpStatus: 404 }),
  requestedAt: new Date(7),
  requestId: 'request',
});

export function createSettings(model: string): ReplySettings {
  return { model, format: 'messages', parameters: {} };
}

/** Reads a chat as a window does when it opens the chat. */
export async function readChat(store: ConversationStore, id: string) {
  const messages = await readAllMessages(store, id);
  const bytes = await findAttachments(store, messages);
  const { conversation, placeholderIds } = restoreConversation({ ...store.get(id), messages }, bytes);
  const ids = new Set(messages.map((each) => each.id));
  const before: StoredConversationState = { id, messages: ids, placeholderIds };
  return { messages, conversation, before };
}

/** Opens a window with the stored chat, or with an empty chat if none is stored. */
export async function openWindow(
  file: string,
  name: string,
  disk: { readonly full: boolean },
  isAlive: (name: string) => boolean,
  empty: Conversation,
  clock: TestClock,
): Promise<ChatWindow> {
  const store = openConversationStore({ file, window: name, now: () => clock.now() });
  await store.stopAbandonedReplies(isAlive);
  const [listed] = store.list().conversations;
  const read = listed && (await readChat(store, listed.id));
  const conversation = read?.conversation ?? empty;
  const draft = listed && store.drafts.read(listed.id)?.text;
  const life: WindowLife = new WindowLife(() => store.close());
  failWhenDead(store.database, life, disk);
  const onError = (error: unknown) => life.isAlive && assert.ifError(error);
  const ignore = () => undefined;
  const options = {
    openStore: async () => store,
    readFacts: () => ({}),
    onProblem: ignore,
    onClosed: ignore,
  };
  const saver = new ConversationSaver(conversation, { ...options, clock, onError }, read?.before);
  const initialState = { running: new Set<string>(), pending: [], deletion: undefined, draft: draft ?? '' };
  return { name, life, clock, store, conversation, saver, ...initialState };
}

/** Whether the last write of a window is on disk. */
export function isSafe({ life, saver }: ChatWindow): boolean {
  return life.isAlive && saver.problem === undefined;
}

/** The parts of a chat that a user sees: the path, its siblings and the comparison. */
export function describeScreen(conversation: Conversation): unknown {
  const { turns, comparison } = conversation;
  const columns = comparison.columns.flat();
  return {
    ends: comparison.ends,
    turns: [...turns, ...columns].map(({ id, questionId, question, replies }) => ({
      id,
      text: replies.map(replyText),
      prompt: createPrompt(question),
      siblings: [...conversation.tree.siblings(questionId), ...conversation.tree.siblings(id)].filter(
        isStored,
      ),
    })),
  };
}

/** Whether the id is that of a stored message. An id that ends with `+` marks a missing reply on the screen. */
export function isStored(id: string): boolean {
  return !id.endsWith('+');
}

export function createPrompt({ text, images, files = [] }: Prompt): Prompt {
  const pictures = images.map(({ type, mimeType, data }) => ({ type, mimeType, data }));
  return { text, images: pictures, files };
}

/** The text of a reply that a window has: the full text if it is the window's own reply, otherwise a beginning. */
export function shownText({ conversation, name }: ChatWindow, written: Remembered): string {
  const [reply] = conversation.reply(written.id)?.replies ?? [];
  const text = reply ? replyText(reply) : '';
  assert.ok(written.text.startsWith(text));
  if (written.window === name) assert.equal(text, written.text);
  return text;
}
