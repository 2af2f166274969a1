import { join } from 'node:path';
import fc from 'fast-check';
import { storeMigrations } from '../../../../../src/conversations/store/storeSchema.ts';
import { openDatabase } from '../../../../../src/storage/database.ts';
import { DatabaseFolder } from '../../../../support/databaseFolder.ts';
import { longRuns } from '../../../../support/longRuns.ts';
import { seed } from '../../../../support/seed.ts';
import type { ModelMessage } from './chatModel.ts';
import { ChatSimulation } from './chatSimulation.ts';

const scheduleCount = longRuns ? 10_000 : 300;

const which = fc.nat({ max: 4 });
const chat = fc.nat({ max: 3 });
const message = fc.nat({ max: 30 });
const steps = fc.nat({ max: 6 });

/** The possible steps. A number for a window, a chat or a message selects one of the existing ones. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: arbitraryStep('ask', {
      which,
      chat,
      at: fc.constantFrom('head', 'head', 'head', 'root', 'anywhere'),
      message,
      models: fc.constantFrom(1, 1, 1, 3),
      editing: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: arbitraryStep('retry', { which, chat, message, models: fc.constantFrom(1, 1, 2) }),
  },
  { weight: 2, arbitrary: arbitraryStep('edit', { which, chat, message }) },
  {
    weight: 8,
    arbitrary: arbitraryStep('append', {
      which,
      chat,
      message,
      own: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 5,
    arbitrary: arbitraryStep('finish', {
      which,
      chat,
      message,
      own: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 4, arbitrary: arbitraryStep('show', { which, chat, message }) },
  { weight: 2, arbitrary: arbitraryStep('setHead', { which, chat, message }) },
  { weight: 3, arbitrary: arbitraryStep('deleteMessages', { which, chat, message }) },
  { weight: 3, arbitrary: arbitraryStep('undeleteMessages', { which, chat, message }) },
  { weight: 1, arbitrary: arbitraryStep('delete', { which, chat }) },
  { weight: 1, arbitrary: arbitraryStep('undelete', { which, chat }) },
  { weight: 1, arbitrary: arbitraryStep('fork', { which, chat, message }) },
  { weight: 2, arbitrary: arbitraryStep('open', {}) },
  { weight: 1, arbitrary: arbitraryStep('kill', { which }) },
  { weight: 2, arbitrary: arbitraryStep('killSoon', { which, steps }) },
  { weight: 2, arbitrary: arbitraryStep('recover', { which, frozen: fc.boolean() }) },
  { weight: 2, arbitrary: arbitraryStep('disk', { full: fc.boolean() }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function arbitraryStep<Type extends string, Facts extends object>(
  type: Type,
  facts: { [Name in keyof Facts]: fc.Arbitrary<Facts[Name]> },
): fc.Arbitrary<{ type: Type } & Facts> {
  return fc.record({ type: fc.constant(type), ...facts }) as unknown as fc.Arbitrary<{ type: Type } & Facts>;
}

function createNames(simulation: ChatSimulation, count: number): readonly string[] {
  return Array.from({ length: count }, () => simulation.createName());
}

async function perform(simulation: ChatSimulation, action: Step): Promise<void> {
  switch (action.type) {
    case 'open':
      simulation.open();
      return;
    case 'kill':
      simulation.window(action.which).life.die();
      return;
    case 'killSoon':
      simulation.window(action.which).life.dieAfter(action.steps);
      return;
    case 'recover':
      await simulation.recover(action.which, (window) => !action.frozen && simulation.isAlive(window));
      return;
    case 'disk':
      simulation.diskIsFull = action.full;
      return;
    default:
      changeChat(simulation, action);
  }
}

type ChatStep = Extract<Step, { chat: number }>;

function changeChat(simulation: ChatSimulation, action: ChatStep): void {
  const chatId = simulation.chat(action.chat);
  const { name } = simulation.window(action.which);
  const { messages, head } = simulation.model(chatId);
  const pick = (among: readonly ModelMessage[]) =>
    'message' in action ? among[action.message % Math.max(1, among.length)] : undefined;
  const change = (step: Parameters<ChatSimulation['change']>[2]) =>
    simulation.change(action.which, chatId, step);
  switch (action.type) {
    case 'ask': {
      const anywhere = pick(messages);
      const parent = action.at === 'head' ? head : action.at === 'root' ? undefined : anywhere?.id;
      const editOf = action.editing
        ? messages.find((each) => each.parent === parent && each.role === 'user')
        : undefined;
      const [id = '', text = ''] = createNames(simulation, 2);
      const question = { id, text, ...(editOf && { editOf: editOf.id }) };
      change({ type: 'ask', parent, question, replies: createNames(simulation, action.models), owner: name });
      return;
    }
    case 'retry': {
      const parent = pick(messages)?.id;
      if (parent === undefined) return;
      change({
        type: 'ask',
        parent,
        question: undefined,
        replies: createNames(simulation, action.models),
        owner: name,
      });
      return;
    }
    case 'edit': {
      const edited = pick(messages)?.id;
      const [id = '', text = ''] = createNames(simulation, 2);
      if (edited !== undefined) change({ type: 'edit', message: edited, id, text });
      return;
    }
    case 'append':
    case 'finish': {
      const own = messages.filter(({ owner }) => owner === name);
      const arriving = pick(action.own ? own : messages);
      if (!arriving) return;
      const text = action.type === 'append' ? ` ${simulation.createName()}` : `${arriving.text} end`;
      change({ type: action.type, message: arriving.id, text, owner: name });
      return;
    }
    case 'delete':
    case 'undelete':
      change({ type: action.type });
      return;
    case 'fork': {
      const at = pick(messages)?.id;
      if (at !== undefined) simulation.fork(action.which, chatId, at);
      return;
    }
    default: {
      const at = pick(messages)?.id;
      if (at !== undefined) change({ type: action.type, message: at });
    }
  }
}

describe('conversations in random schedules', () => {
  const folder = new DatabaseFolder();
  const template = folder.file('empty.sqlite');

  before(() => openDatabase({ path: template, migrations: storeMigrations }).close());

  after(() => folder.remove());

  it(`P16 D17 have all typed and received text, and have the right path, in ${scheduleCount} schedules (seed ${seed})`, async function () {
    this.timeout(1_200_000);
    let schedules = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
      async (schedule) => {
        schedules += 1;
        const simulation = new ChatSimulation(join(folder.path, `${schedules}.sqlite`), template);
        try {
          for (const action of schedule) await perform(simulation, action);
          await simulation.checkStored();
        } finally {
          simulation.close();
        }
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });
});
