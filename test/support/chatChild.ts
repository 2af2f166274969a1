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
import { attached } from './conversationStores.ts';

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

  pass(ms: number): void {
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
const { conversation, saver } = await chat();
for (let nth = 0; ; nth++) await exchange(`${window} asks ${nth}`);

/** The chat that all windows share, as this window has it. */
async function chat() {
  const [listed] = store.list().conversations;
  const messages = listed ? await readAllMessages(store, listed.id) : [];
  const { conversation, placeholderIds } = restoreConversation(
    { messages, head: listed && store.get(listed.id)?.head },
    attached(),
  );
  const ids = new Set(messages.map(({ id }) => id));
  const before: StoredConversationState | undefined = listed && {
    ...{ id: listed.id, messages: ids },
    placeholderIds,
  };
  const fate = { onProblem: fail, onError: fail, onClosed: () => undefined };
  const options = { store: async () => store, facts: () => ({}), clock, ...fate };
  return { conversation, saver: new ConversationSaver(conversation, options, before) };
}

function report(message: ChatChildReport): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

/** Sends a question to one model, or to several at once; their replies arrive in turn. */
async function exchange(text: string): Promise<void> {
  const elsewhere = await saver.readExternalChanges();
  if (elsewhere) saver.applyExternalChanges(elsewhere);
  const models = ['a', 'b', 'c'].slice(0, Math.ceil(Math.random() * 3));
  const turns = conversation.comparison.addQuestion(
    { text, images: [] },
    models.map(asking),
    conversation.tree.head,
  );
  await saver.storeTurns(turns);
  const answers = turns.map(({ id }) => id);
  report({ type: 'question', chat: saver.id, question: turns[0]?.questionId ?? '', text, answers });
  const lengths = new Map(answers.map((id) => [id, 0]));
  for (let remaining = Math.ceil(Math.random() * maxEvents); remaining > 0; remaining--) {
    clock.pass(eventMs);
    for (const [answer, length] of lengths) lengths.set(answer, arrive(answer, length));
    await pause(1);
  }
  for (const [answer, length] of lengths) {
    const ending = { requestId: answer, requestedAt: new Date(), totalMs: clock.now() };
    const result = { outcome: { kind: 'complete' }, ...ending } as const;
    conversation.finish(answer, result);
    await saver.storeResult(answer, result);
    report({ type: 'finished', answer, length });
  }
}

/** @returns the length of the reply after that */
function arrive(answer: string, before: number): number {
  const text = `${before} `;
  const events = [{ type: 'text', choice: 0, text }] as const;
  conversation.appendEvents(answer, events);
  saver.storeEvents(answer, events);
  const length = before + text.length;
  report({ type: 'arrived', answer, length, at: clock.now() });
  return length;
}

function asking(model: string): ReplySettings {
  return { model, format: 'messages', parameters: {} };
}
