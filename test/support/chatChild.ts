/**
 * A window of its own process, for tests that kill it: asks and receives replies for ever, as fast as it can, in
 * the time of a clock of its own. Arguments: the store's file, this window's name, and that of another one that
 * lives.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../src/base/node/clock.ts';
import type { Asking } from '../../src/conversations/conversation/turn.ts';
import { ConversationKeeper } from '../../src/conversations/kept/conversationKeeper.ts';
import { conversationFrom } from '../../src/conversations/kept/messageRecords.ts';
import { readMessages } from '../../src/conversations/kept/storedMessages.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { ChatChildReport } from './chatChildReport.ts';
import { attached } from './conversationStores.ts';

const eventMs = 50;
const maxEvents = 80;

const [file = '', window = '', sibling = ''] = process.argv.slice(2);

/** A second of it passes as soon as so many events have come. */
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
await store.recover((name) => name === sibling);
const { conversation, keeper } = await chat();
for (let nth = 0; ; nth++) await exchange(`${window} asks ${nth}`);

/** The chat of all windows, as this one keeps it. */
async function chat() {
  const [listed] = store.list().conversations;
  const messages = listed ? await readMessages(store, listed.id) : [];
  const { conversation, filled } = conversationFrom(
    { messages, head: listed && store.get(listed.id)?.head },
    attached(),
  );
  const before = listed && { id: listed.id, messages: new Set(messages.map(({ id }) => id)), filled };
  const fate = { onProblem: fail, onError: fail, onClosed: () => undefined };
  const options = { store: async () => store, facts: () => ({}), clock, ...fate };
  return { conversation, keeper: new ConversationKeeper(conversation, options, before) };
}

function report(message: ChatChildReport): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

/** Asks one model or several at once, whose replies arrive in turn. */
async function exchange(text: string): Promise<void> {
  const elsewhere = await keeper.elsewhere();
  if (elsewhere) keeper.takeOver(elsewhere);
  const models = ['a', 'b', 'c'].slice(0, Math.ceil(Math.random() * 3));
  const turns = conversation.comparison.ask({ text, images: [] }, models.map(asking), conversation.head);
  await keeper.asked(turns);
  const answers = turns.map(({ id }) => id);
  report({ type: 'asked', chat: keeper.id, question: turns[0]?.questionId ?? '', text, answers });
  const lengths = new Map(answers.map((id) => [id, 0]));
  for (let left = Math.ceil(Math.random() * maxEvents); left > 0; left--) {
    clock.pass(eventMs);
    for (const [answer, length] of lengths) lengths.set(answer, arrive(answer, length));
    await pause(1);
  }
  for (const [answer, length] of lengths) {
    const ending = { requestId: answer, requestedAt: new Date(), totalMs: clock.now() };
    const result = { outcome: { kind: 'complete' }, ...ending } as const;
    conversation.finish(answer, result);
    await keeper.ended(answer, result);
    report({ type: 'finished', answer, length });
  }
}

/** @returns how long the answer is then */
function arrive(answer: string, before: number): number {
  const text = `${before} `;
  const events = [{ type: 'text', choice: 0, text }] as const;
  conversation.apply(answer, events);
  keeper.arrived(answer, events);
  const length = before + text.length;
  report({ type: 'arrived', answer, length, at: clock.now() });
  return length;
}

function asking(model: string): Asking {
  return { model, format: 'messages', parameters: {} };
}
