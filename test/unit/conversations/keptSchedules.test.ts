import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import type { Conversation } from '../../../src/conversations/conversation.ts';
import { ConversationKeeper } from '../../../src/conversations/kept/conversationKeeper.ts';
import { conversationFrom } from '../../../src/conversations/kept/messageRecords.ts';
import { readMessages } from '../../../src/conversations/kept/readMessages.ts';
import { textOf } from '../../../src/conversations/reply.ts';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../src/conversations/store/conversationStore.ts';
import type { Turn } from '../../../src/conversations/turn.ts';
import { ending, textOf as recordText, words } from '../../support/conversationStores.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { longRuns } from '../../support/longRuns.ts';
import { seed } from '../../support/seed.ts';
import { TestClock } from '../../support/testClock.ts';
import { failWhenDead, WindowLife } from '../../support/windowLife.ts';

const scheduleCount = longRuns ? 10_000 : 150;
const how = { model: 'model', format: 'messages', parameters: {} } as const;
const kinds = [
  ...['ask', 'ask', 'ask', 'again', 'editQuestion', 'editAnswer', 'continue', 'show'],
  ...['arrive', 'arrive', 'arrive', 'finish', 'finish', 'pass', 'catchUp'],
  ...['full', 'free', 'kill', 'killSoon', 'open'],
] as const;

interface ChatWindow {
  readonly life: WindowLife;
  readonly clock: TestClock;
  readonly conversation: Conversation;
  readonly keeper: ConversationKeeper;
  running: Turn | undefined;
}

/** Windows that show one chat, kept by the code that users run, and what must not get lost of it. */
class KeptWorld {
  readonly #file: string;
  readonly #disk = { full: false };
  readonly #windows: ChatWindow[] = [];
  /** What was typed, by its message: it must be there. */
  readonly #typed = new Map<string, string>();
  /** What arrived of each answer, and how much of that must be there. */
  readonly #arrived = new Map<string, { text: string; kept: number }>();
  #names = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async happen(kind: (typeof kinds)[number], which: number): Promise<void> {
    const window = await this.#window(which);
    const { conversation, keeper, life } = window;
    const turn = conversation.turns[which % Math.max(1, conversation.turns.length)];
    const text = `text ${++this.#names}`;
    const question = { text, images: [], ...how };
    if (kind === 'full' || kind === 'free') this.#disk.full = kind === 'full';
    else if (kind === 'open') await this.#open();
    else if (kind === 'kill') life.die();
    else if (kind === 'killSoon') life.dieAfter(which);
    else if (kind === 'pass') await window.clock.advance(1_000);
    else if (kind === 'arrive') this.#arrive(window, text);
    else if (kind === 'finish') await this.#finish(window);
    else if (window.running) await keeper.flush().then(() => this.#note(window));
    else if (kind === 'ask') await this.#ask(window, conversation.ask(question));
    else if (kind === 'catchUp') await this.#catchUp(window);
    else if (!turn?.result) return;
    else if (kind === 'again') await this.#ask(window, conversation.askAgain(turn.id, how), turn.id);
    else if (kind === 'editQuestion') await this.#ask(window, conversation.editQuestion(turn.id, question));
    else if (kind === 'continue') await this.#ask(window, conversation.continueAnswer(turn.id, how));
    else if (kind === 'show' && conversation.show(turn.id)) keeper.shown(turn.id);
    else if (kind === 'editAnswer') await this.#edit(window, turn.id, text);
  }

  /** Whether all is there, for one who opens the file now. */
  async settle(): Promise<void> {
    this.#disk.full = false;
    for (const window of this.#windows.filter(({ life }) => life.alive)) {
      await window.clock.advance(60_000);
      await this.#finish(window);
      await window.keeper.close();
      this.#note(window);
      if (window.life.alive) window.life.die();
    }
    const store = openConversationStore({ file: this.#file, window: 'last' });
    try {
      await store.recover(() => false);
      const kept = new Map<string, string>();
      for (const { id } of store.list().conversations) {
        const messages = await readMessages(store, id);
        for (const message of messages) kept.set(message.id, recordText(message));
        const { conversation } = conversationFrom({ messages, head: store.get(id)?.head }, new Map());
        assertPathIsSent(conversation);
      }
      for (const [id, text] of this.#typed) assert.equal(kept.get(id), text);
      for (const [id, { text, kept: least }] of this.#arrived) {
        const there = kept.get(id) ?? '';
        assert.ok(text.startsWith(there) && there.length >= least, `${there} of ${text}, at least ${least}`);
      }
    } finally {
      store.close();
    }
  }

  async #window(which: number): Promise<ChatWindow> {
    const living = this.#windows.filter(({ life }) => life.alive);
    return living[which % Math.max(1, living.length)] ?? this.#open();
  }

  async #open(): Promise<ChatWindow> {
    const full = this.#disk.full;
    const store = openConversationStore({ file: this.#file, window: `window ${this.#windows.length}` });
    const life: WindowLife = new WindowLife(() => store.close());
    const [listed] = store.list().conversations;
    const window = { life, ...(await this.#kept(store, life, listed?.id)), running: undefined };
    failWhenDead(store.database, life, this.#disk);
    this.#disk.full = full;
    this.#windows.push(window);
    return window;
  }

  async #kept(store: ConversationStore, life: WindowLife, id: string | undefined) {
    const messages = id === undefined ? [] : await readMessages(store, id);
    const head = id === undefined ? undefined : store.get(id)?.head;
    const { conversation, filled } = conversationFrom({ messages, head }, new Map());
    const before =
      id === undefined ? undefined : { id, filled, messages: new Set(messages.map((each) => each.id)) };
    const clock = new TestClock();
    const onError = (error: unknown) => life.alive && assert.ifError(error);
    const nothing = () => undefined;
    const options = { store: async () => store, facts: () => ({}), clock, onError };
    const keeper = new ConversationKeeper(
      conversation,
      { ...options, onProblem: nothing, onClosed: nothing },
      before,
    );
    return { conversation, clock, keeper };
  }

  async #ask(window: ChatWindow, turn: Turn | undefined, replaced?: string): Promise<void> {
    if (!turn) return;
    const { conversation, keeper } = window;
    const isReplaced = replaced !== undefined && conversation.turn(replaced) === undefined;
    if (isReplaced) this.#arrived.delete(replaced);
    window.running = turn;
    this.#arrived.set(turn.id, { text: '', kept: 0 });
    await keeper.asked([turn], isReplaced ? replaced : undefined);
    if (isSafe(window)) this.#typed.set(turn.questionId, turn.question.text);
  }

  async #edit(window: ChatWindow, id: string, text: string): Promise<void> {
    const { conversation, keeper } = window;
    const edited = conversation.editAnswer(id, text);
    const answer = edited && conversation.answer(edited.id);
    if (!answer) return;
    await keeper.edited(answer, id);
    if (isSafe(window)) this.#typed.set(answer.id, text);
  }

  #arrive({ running, conversation, keeper }: ChatWindow, text: string): void {
    const arrived = running && this.#arrived.get(running.id);
    if (!arrived) return;
    conversation.apply(running.id, [words(text)]);
    keeper.arrived(running.id, [words(text)]);
    arrived.text += text;
  }

  async #finish(window: ChatWindow): Promise<void> {
    const { running, conversation, keeper } = window;
    if (!running) return;
    conversation.finish(running.id, ending());
    const answer = conversation.answer(running.id);
    if (answer) await keeper.ended(answer);
    this.#note(window);
    window.running = undefined;
  }

  /** What a window wrote is there from then on. */
  #note(window: ChatWindow): void {
    const arrived = window.running && this.#arrived.get(window.running.id);
    if (arrived && isSafe(window)) arrived.kept = arrived.text.length;
  }

  async #catchUp({ keeper }: ChatWindow): Promise<void> {
    const found = await keeper.elsewhere();
    if (found) keeper.takeOver(found);
  }
}

/** Whether what a window wrote last is on disk. */
function isSafe({ life, keeper }: Pick<ChatWindow, 'life' | 'keeper'>): boolean {
  return life.alive && keeper.problem === undefined;
}

function assertPathIsSent(conversation: Conversation): void {
  const shown = conversation.turns
    .filter(({ id }) => conversation.carries(id))
    .flatMap(({ question, replies: [reply] }) => [question.text, reply ? textOf(reply) : '']);
  const sent = conversation.historyForNext({ text: 'next?', images: [], ...how }).messages;
  assert.deepEqual(
    sent.map(({ parts }) => textOf({ parts, citations: [] })),
    [...shown, 'next?'],
  );
}

describe('chats that are kept, under whatever happens', () => {
  const folder = new DatabaseFolder();

  after(() => folder.remove());

  it(`P16 nothing typed or arrived is lost, and the path is what is sent, in ${scheduleCount} schedules (seed ${seed})`, async function () {
    this.timeout(1_200_000);
    let schedules = 0;
    const step = fc.tuple(fc.constantFrom(...kinds), fc.nat({ max: 6 }));
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }),
      async (schedule) => {
        const file = folder.file(`${++schedules}.sqlite`);
        const world = new KeptWorld(file);
        for (const [kind, which] of schedule) await world.happen(kind, which);
        await world.settle();
        for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });
});
