/**
 * A window in its own process, for tests that kill it. It sends requests and receives replies in an endless loop,
 * as fast as it can, in the time of its own clock. Arguments: the store's file, the name of this window, and the
 * name of another window that is alive.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../src/base/node/clock.ts';
import type { ReplySettings } from '../../src/conversations/conversation/turn.ts';
import { ConversationSaver } from '../../src/conversations/saving/conversationSaver.ts';
import { restoreConversation } from '../../src/conversations/saving/messageRecords.ts';
import type { StoredConversationState } from '../../src/conversations/saving/saverOptions.ts';
import { readAllMessages } from '../../src/conversations/saving/storedMessages.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { ChatChildReport } from './chatChildReport.ts';
import { createAttachedBytes } from './conversationStores.ts';

const eventMs = 50;
const maxEvents = 80;

const [file = '', window = '', sibling = ''] = process.argv.slice(2);

/** A second passes on this clock after a fixed number of events. */
class EventClock implements Clock {
  #time = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now = (): number => this.#time;
  monotonic = this.now;
  uptime = this.now;

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#time + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  advance(ms: number): void {
    this.#time += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#time);
    this.#timers = this.#timers.filter(({ at }) => at > this.#time);
    for (const { callback } of due) callback();
  }
}

process.on('disconnect', () => process.exit());
const clock = new EventClock();
const store = openConversationStore({ file, window });
await store.stopAbandonedReplies((name) => name === sibling);
const { conversation, saver } = await openChat();
for (let nth = 0; ; nth++) await exchange(`${window} asks ${nth}`);

/** Opens the chat that all windows share, or a new one. */
async function openChat() {
  const [listed] = store.list().conversations;
  const messages = listed ? await readAllMessages(store, listed.id) : [];
  const { conversation, placeholderIds } = restoreConversation(
    { messages, head: listed && store.get(listed.id)?.head },
    createAttachedBytes(),
  );
  const ids = new Set(messages.map(({ id }) => id));
  const stored: StoredConversationState | undefined = listed && {
    id: listed.id,
    messages: ids,
    placeholderIds,
  };
  const callbacks = { onProblem: fail, onError: fail, onClosed: () => undefined };
  const options = { openStore: async () => store, readFacts: () => ({}), clock, ...callbacks };
  return { conversation, saver: new ConversationSaver(conversation, options, stored) };
}

function report(message: ChatChildReport): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

/** Sends a question to up to three models at once; their replies arrive at the same time. */
async function exchange(text: string): Promise<void> {
  const externalChanges = await saver.readExternalChanges();
  if (externalChanges) saver.applyExternalChanges(externalChanges);
  const models = ['a', 'b', 'c'].slice(0, Math.ceil(Math.random() * 3));
  const turns = conversation.comparison.addQuestion(
    { text, images: [] },
    models.map(createSettings),
    conversation.tree.head,
  );
  await saver.storeTurns(turns);
  const replies = turns.map(({ id }) => id);
  report({ type: 'question', chat: saver.id, question: turns[0]?.questionId ?? '', text, replies });
  const lengths = new Map(replies.map((id) => [id, 0]));
  for (let remaining = Math.ceil(Math.random() * maxEvents); remaining > 0; remaining--) {
    clock.advance(eventMs);
    for (const [reply, length] of lengths) lengths.set(reply, receivePiece(reply, length));
    await pause(1);
  }
  for (const [reply, length] of lengths) {
    const ending = { requestId: reply, requestedAt: new Date(), totalMs: clock.now() };
    const result = { outcome: { kind: 'complete' }, ...ending } as const;
    conversation.finish(reply, result);
    await saver.storeResult(reply, result);
    report({ type: 'finished', reply, length });
  }
}

/** @returns the new length of the reply */
function receivePiece(reply: string, lengthBefore: number): number {
  const text = `${lengthBefore} `;
  const events = [{ type: 'text', choice: 0, text }] as const;
  conversation.appendEvents(reply, events);
  saver.storeEvents(reply, events);
  const length = lengthBefore + text.length;
  report({ type: 'arrived', reply, length, at: clock.now() });
  return length;
}

function createSettings(model: string): ReplySettings {
  return { model, format: 'messages', parameters: {} };
}
