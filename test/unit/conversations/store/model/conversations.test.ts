import { join } from 'node:path';
import fc from 'fast-check';
import { storeMigrations } from '../../../../../src/conversations/store/storeSchema.ts';
import { openDatabase } from '../../../../../src/storage/database.ts';
import { DatabaseFolder } from '../../../../support/databaseFolder.ts';
import { longRuns } from '../../../../support/longRuns.ts';
import { seed } from '../../../../support/seed.ts';
import type { ModelMessage } from './chatModel.ts';
import { ChatWorld } from './chatWorld.ts';

const scheduleCount = longRuns ? 10_000 : 300;

const which = fc.nat({ max: 4 });
const chat = fc.nat({ max: 3 });
const message = fc.nat({ max: 30 });
const steps = fc.nat({ max: 6 });

/** The possible steps. A number for a window, a chat or a message selects one of the existing ones. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: happening('ask', {
      which,
      chat,
      at: fc.constantFrom('head', 'head', 'head', 'root', 'anywhere'),
      message,
      models: fc.constantFrom(1, 1, 1, 3),
      editing: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: happening('again', { which, chat, message, models: fc.constantFrom(1, 1, 2) }) },
  { weight: 2, arbitrary: happening('edit', { which, chat, message }) },
  {
    weight: 8,
    arbitrary: happening('append', { which, chat, message, own: fc.constantFrom(true, true, true, false) }),
  },
  {
    weight: 5,
    arbitrary: happening('finish', { which, chat, message, own: fc.constantFrom(true, true, true, false) }),
  },
  { weight: 4, arbitrary: happening('show', { which, chat, message }) },
  { weight: 2, arbitrary: happening('setHead', { which, chat, message }) },
  { weight: 3, arbitrary: happening('deleteMessages', { which, chat, message }) },
  { weight: 3, arbitrary: happening('undeleteMessages', { which, chat, message }) },
  { weight: 1, arbitrary: happening('delete', { which, chat }) },
  { weight: 1, arbitrary: happening('undelete', { which, chat }) },
  { weight: 1, arbitrary: happening('fork', { which, chat, message }) },
  { weight: 2, arbitrary: happening('open', {}) },
  { weight: 1, arbitrary: happening('kill', { which }) },
  { weight: 2, arbitrary: happening('killSoon', { which, steps }) },
  { weight: 2, arbitrary: happening('recover', { which, frozen: fc.boolean() }) },
  { weight: 2, arbitrary: happening('disk', { full: fc.boolean() }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function happening<Type extends string, Facts extends object>(
  type: Type,
  facts: { [Name in keyof Facts]: fc.Arbitrary<Facts[Name]> },
): fc.Arbitrary<{ type: Type } & Facts> {
  return fc.record({ type: fc.constant(type), ...facts }) as unknown as fc.Arbitrary<{ type: Type } & Facts>;
}

function names(world: ChatWorld, count: number): readonly string[] {
  return Array.from({ length: count }, () => world.name());
}

async function happen(world: ChatWorld, happens: Step): Promise<void> {
  switch (happens.type) {
    case 'open':
      world.open();
      return;
    case 'kill':
      world.window(happens.which).life.die();
      return;
    case 'killSoon':
      world.window(happens.which).life.dieAfter(happens.steps);
      return;
    case 'recover':
      await world.recover(happens.which, (window) => !happens.frozen && world.isAlive(window));
      return;
    case 'disk':
      world.diskIsFull = happens.full;
      return;
    default:
      changeChat(world, happens);
  }
}

type ChatStep = Extract<Step, { chat: number }>;

function changeChat(world: ChatWorld, happens: ChatStep): void {
  const chatId = world.chat(happens.chat);
  const { name } = world.window(happens.which);
  const { messages, head } = world.model(chatId);
  const one = (among: readonly ModelMessage[]) =>
    'message' in happens ? among[happens.message % Math.max(1, among.length)] : undefined;
  const change = (step: Parameters<ChatWorld['change']>[2]) => world.change(happens.which, chatId, step);
  switch (happens.type) {
    case 'ask': {
      const anywhere = one(messages);
      const parent = happens.at === 'head' ? head : happens.at === 'root' ? undefined : anywhere?.id;
      const editOf = happens.editing
        ? messages.find((each) => each.parent === parent && each.role === 'user')
        : undefined;
      const [id = '', text = ''] = names(world, 2);
      const question = { id, text, ...(editOf && { editOf: editOf.id }) };
      change({ type: 'ask', parent, question, answers: names(world, happens.models), owner: name });
      return;
    }
    case 'again': {
      const parent = one(messages)?.id;
      if (parent === undefined) return;
      change({
        type: 'ask',
        parent,
        question: undefined,
        answers: names(world, happens.models),
        owner: name,
      });
      return;
    }
    case 'edit': {
      const edited = one(messages)?.id;
      const [id = '', text = ''] = names(world, 2);
      if (edited !== undefined) change({ type: 'edit', message: edited, id, text });
      return;
    }
    case 'append':
    case 'finish': {
      const own = messages.filter(({ owner }) => owner === name);
      const arriving = one(happens.own ? own : messages);
      if (!arriving) return;
      const text = happens.type === 'append' ? ` ${world.name()}` : `${arriving.text} end`;
      change({ type: happens.type, message: arriving.id, text, owner: name });
      return;
    }
    case 'delete':
    case 'undelete':
      change({ type: happens.type });
      return;
    case 'fork': {
      const at = one(messages)?.id;
      if (at !== undefined) world.fork(happens.which, chatId, at);
      return;
    }
    default: {
      const at = one(messages)?.id;
      if (at !== undefined) change({ type: happens.type, message: at });
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
        const world = new ChatWorld(join(folder.path, `${schedules}.sqlite`), template);
        try {
          for (const happens of schedule) await happen(world, happens);
          await world.settle();
        } finally {
          world.close();
        }
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });
});
