/**
 * A window of its own process, for tests that kill it: asks and receives replies for ever, as fast as it can, in
 * the time of a clock of its own. Arguments: the store's file, this window's name, and that of another one that
 * lives.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/base/node/clock.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import { ReplyKeeper } from '../../src/conversations/store/replyKeeper.ts';
import { WriteRetryQueue } from '../../src/storage/writeRetryQueue.ts';
import type { ChatChildReport } from './chatChildReport.ts';

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
const writes = new WriteRetryQueue(clock, undefined);
await store.recover((name) => name === sibling);
const [chat = store.create()] = store.list().conversations.map(({ id }) => id);
for (let nth = 0; ; nth++) await exchange(`${window} asks ${nth}`);

function report(message: ChatChildReport): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

async function exchange(question: string): Promise<void> {
  const parent = store.get(chat)?.head;
  const asked = store.ask(chat, {
    ...(parent !== undefined && { parent }),
    question: { parts: [{ type: 'text', text: question }] },
    answers: [{ request: { id: question, model: 'chat-1', askedAt: Date.now() } }],
  });
  const [answer] = asked?.answers ?? [];
  if (asked?.question === undefined || answer === undefined) return fail('It could not be asked.');
  report({ type: 'asked', chat, question: asked.question, text: question, answer });
  const keeper = new ReplyKeeper({ store, conversation: chat, answer, writes, clock, onError: fail });
  let text = '';
  for (let left = Math.ceil(Math.random() * maxEvents); left > 0; left--) {
    clock.pass(eventMs);
    const piece = `${text.length} `;
    text += piece;
    keeper.add([{ type: 'text', choice: 0, text: piece }]);
    report({ type: 'arrived', answer, length: text.length, at: clock.now() });
    await turn();
  }
  keeper.finish({
    choices: [[{ type: 'text', text }]],
    request: { id: question, model: 'chat-1', askedAt: Date.now(), outcome: 'complete' },
  });
  report({ type: 'finished', answer, length: text.length });
}
