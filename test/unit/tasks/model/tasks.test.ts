import { join } from 'node:path';
import fc from 'fast-check';
import { openDatabase } from '../../../../src/storage/database.ts';
import { ledgerMigrations } from '../../../../src/tasks/ledger/ledgerSchema.ts';
import { countRepetitions } from '../../../support/longRuns.ts';
import { seed } from '../../../support/seed.ts';
import type { CreateOutcome } from '../../../support/testGateway.ts';
import { createTasksFolder } from '../../../support/testWindow.ts';
import type { GatewayHealth, TaskCourse } from './modelGateway.ts';
import type { CreatePlan } from './modelWindow.ts';
import { World } from './world.ts';

const scheduleCount = countRepetitions(10_000);

const second = 1_000;
const minute = 60 * second;

const outcome = fc.constantFrom<CreateOutcome>(
  ...([
    'made',
    'made',
    'made',
    'refused',
    'slow down',
    'never sent',
    'broken before',
    'broken after',
  ] as const),
  ...(['cut before id', 'cut behind id', 'id received, then cut', 'empty reply', 'timed out'] as const),
);
const course: fc.Arbitrary<TaskCourse> = fc.record({
  hiddenMs: fc.constantFrom(0, 0, 15 * second),
  runsMs: fc.constantFrom(0, 20 * second, 80 * second),
  word: fc.constantFrom('queued', 'moderating'),
  end: fc.constantFrom('completed', 'completed', 'failed', 'not_found', 'forgotten', 'never'),
});
const sending: fc.Arbitrary<CreatePlan> = fc.record({
  outcome,
  delayMs: fc.constantFrom(0, 2 * second, 40 * second),
  course,
});
const health = fc.constantFrom<GatewayHealth>(
  ...(['well', 'broken', 'slow down', 'come back later', 'refuses the credential', 'unreachable'] as const),
);
const which = fc.nat({ max: 5 });
const steps = fc.nat({ max: 12 });
const action = fc.constantFrom('resume', 'stop', 'discard', 'cancel', 'look', 'find');
/** Some faults last for a while before the next step, so that polls fail. */
const lasts = fc.constantFrom(0, 0, 12 * second, 2 * minute);
const nap = fc.constantFrom(30 * second, 10 * minute, 480 * minute);
const leap = fc.constantFrom(
  -365 * 1440 * minute,
  -60 * minute,
  -second,
  second,
  60 * minute,
  365 * 1440 * minute,
);

/** The possible steps. A number for a window or a task selects one of the existing ones. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: happening('submit', { which, model: fc.nat({ max: 1 }), sending, twice: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: happening('submitAndDie', { which, model: fc.nat({ max: 1 }), sending, steps }),
  },
  { weight: 6, arbitrary: happening('pass', { ms: fc.constantFrom(100, 3 * second, 12 * second, minute) }) },
  { weight: 3, arbitrary: happening('open', {}) },
  { weight: 2, arbitrary: happening('close', { which }) },
  { weight: 2, arbitrary: happening('kill', { which }) },
  { weight: 2, arbitrary: happening('killSoon', { which, steps }) },
  { weight: 1, arbitrary: happening('freeze', { which }) },
  { weight: 1, arbitrary: happening('sleep', { nap, monotonic: fc.constantFrom('stops', 'goes on') }) },
  { weight: 1, arbitrary: happening('leap', { leap }) },
  { weight: 2, arbitrary: happening('disk', { full: fc.boolean(), ms: lasts }) },
  { weight: 2, arbitrary: happening('endUnseen', {}) },
  { weight: 2, arbitrary: happening('health', { health, ms: lasts }) },
  { weight: 1, arbitrary: happening('credential', {}) },
  { weight: 4, arbitrary: happening('act', { which, task: which, action }) },
  { weight: 2, arbitrary: happening('sendLeftOver', { which, task: which, sending, twice: fc.boolean() }) },
);

/** The time after the end of all work. All searches for lost tasks end within half an hour. */
const idle = fc.oneof(
  { weight: 19, arbitrary: fc.constant(minute) },
  { weight: 1, arbitrary: fc.constant(60 * minute) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function happening<Type extends string, Facts extends object>(
  type: Type,
  facts: { [Name in keyof Facts]: fc.Arbitrary<Facts[Name]> },
): fc.Arbitrary<{ type: Type } & Facts> {
  return fc.record({ type: fc.constant(type), ...facts }) as unknown as fc.Arbitrary<{ type: Type } & Facts>;
}

async function happen(world: World, happens: Step): Promise<void> {
  switch (happens.type) {
    case 'submit':
      world.ask(happens.which, happens.model, happens.sending, happens.twice);
      break;
    case 'submitAndDie':
      world.window(happens.which).dieAfter(happens.steps);
      world.ask(happens.which, happens.model, happens.sending, false);
      break;
    case 'pass':
      await world.clock.advance(happens.ms);
      break;
    case 'open':
      world.open();
      break;
    case 'close':
      await world.end(world.window(happens.which));
      break;
    case 'kill':
      world.window(happens.which).kill();
      break;
    case 'killSoon':
      world.window(happens.which).dieAfter(happens.steps);
      break;
    case 'freeze':
      world.window(happens.which).clock.freeze(minute);
      break;
    case 'sleep':
      await world.clock.sleep(happens.nap, happens.monotonic);
      break;
    case 'leap':
      world.clock.jump(happens.leap);
      break;
    case 'disk':
      world.disk.full = happens.full;
      await world.clock.advance(happens.ms);
      break;
    case 'endUnseen':
      world.disk.full = true;
      world.endTasks();
      await world.clock.advance(12 * second);
      break;
    case 'health':
      world.server.health = happens.health;
      await world.clock.advance(happens.ms);
      break;
    case 'credential':
      world.credentialChanged();
      break;
    case 'act': {
      const key = world.key(happens.task);
      if (key !== undefined) world.act(happens.which, key, happens.action);
      break;
    }
    case 'sendLeftOver': {
      const key = world.key(happens.task);
      if (key !== undefined) world.sendLeftOver(happens.which, key, happens.sending, happens.twice);
    }
  }
  await world.clock.advance(0);
  world.forgetDeadWindows();
}

describe('tasks in random schedules', () => {
  const folder = createTasksFolder();
  const template = join(folder.path, 'empty.sqlite');

  before(() => openDatabase({ path: template, migrations: ledgerMigrations }).close());

  after(() => folder.remove());

  it(`P5 P6 D5 are never billed twice or lost, and end without faults, in ${scheduleCount} schedules (seed ${seed})`, async function () {
    this.timeout(1_200_000);
    let schedules = 0;
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 15, size: 'max' }),
      idle,
      async (schedule, idleMs) => {
        schedules += 1;
        const world = new World(join(folder.path, `${schedules}.sqlite`), template);
        try {
          for (const happens of schedule) await happen(world, happens);
          await world.settle(idleMs);
        } finally {
          await world.close();
        }
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });
});
