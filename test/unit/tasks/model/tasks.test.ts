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
import { TaskSimulation } from './taskSimulation.ts';

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
    arbitrary: arbitraryStep('submit', { which, model: fc.nat({ max: 1 }), sending, twice: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: arbitraryStep('submitAndDie', { which, model: fc.nat({ max: 1 }), sending, steps }),
  },
  {
    weight: 6,
    arbitrary: arbitraryStep('pass', { ms: fc.constantFrom(100, 3 * second, 12 * second, minute) }),
  },
  { weight: 3, arbitrary: arbitraryStep('open', {}) },
  { weight: 2, arbitrary: arbitraryStep('close', { which }) },
  { weight: 2, arbitrary: arbitraryStep('kill', { which }) },
  { weight: 2, arbitrary: arbitraryStep('killSoon', { which, steps }) },
  { weight: 1, arbitrary: arbitraryStep('freeze', { which }) },
  { weight: 1, arbitrary: arbitraryStep('sleep', { nap, monotonic: fc.constantFrom('stops', 'goes on') }) },
  { weight: 1, arbitrary: arbitraryStep('leap', { leap }) },
  { weight: 2, arbitrary: arbitraryStep('disk', { full: fc.boolean(), ms: lasts }) },
  { weight: 2, arbitrary: arbitraryStep('endUnseen', {}) },
  { weight: 2, arbitrary: arbitraryStep('health', { health, ms: lasts }) },
  { weight: 1, arbitrary: arbitraryStep('credential', {}) },
  { weight: 4, arbitrary: arbitraryStep('act', { which, task: which, action }) },
  { weight: 2, arbitrary: arbitraryStep('sendIntent', { which, task: which, sending, twice: fc.boolean() }) },
);

/** The time after the end of all work. All searches for lost tasks end within half an hour. */
const idle = fc.oneof(
  { weight: 19, arbitrary: fc.constant(minute) },
  { weight: 1, arbitrary: fc.constant(60 * minute) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function arbitraryStep<Type extends string, Facts extends object>(
  type: Type,
  facts: { [Name in keyof Facts]: fc.Arbitrary<Facts[Name]> },
): fc.Arbitrary<{ type: Type } & Facts> {
  return fc.record({ type: fc.constant(type), ...facts }) as unknown as fc.Arbitrary<{ type: Type } & Facts>;
}

async function performStep(simulation: TaskSimulation, step: Step): Promise<void> {
  switch (step.type) {
    case 'submit':
      simulation.createTask(step.which, step.model, step.sending, step.twice);
      break;
    case 'submitAndDie':
      simulation.window(step.which).dieAfter(step.steps);
      simulation.createTask(step.which, step.model, step.sending, false);
      break;
    case 'pass':
      await simulation.clock.advance(step.ms);
      break;
    case 'open':
      simulation.openWindow();
      break;
    case 'close':
      await simulation.closeWindow(simulation.window(step.which));
      break;
    case 'kill':
      simulation.window(step.which).kill();
      break;
    case 'killSoon':
      simulation.window(step.which).dieAfter(step.steps);
      break;
    case 'freeze':
      simulation.window(step.which).clock.freeze(minute);
      break;
    case 'sleep':
      await simulation.clock.sleep(step.nap, step.monotonic);
      break;
    case 'leap':
      simulation.clock.jump(step.leap);
      break;
    case 'disk':
      simulation.disk.full = step.full;
      await simulation.clock.advance(step.ms);
      break;
    case 'endUnseen':
      simulation.disk.full = true;
      simulation.endTasks();
      await simulation.clock.advance(12 * second);
      break;
    case 'health':
      simulation.server.health = step.health;
      await simulation.clock.advance(step.ms);
      break;
    case 'credential':
      simulation.replaceCredential();
      break;
    case 'act': {
      const key = simulation.key(step.task);
      if (key !== undefined) simulation.runAction(step.which, key, step.action);
      break;
    }
    case 'sendIntent': {
      const key = simulation.key(step.task);
      if (key !== undefined) simulation.sendIntent(step.which, key, step.sending, step.twice);
    }
  }
  await simulation.clock.advance(0);
  simulation.forgetDeadWindows();
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
        const simulation = new TaskSimulation(join(folder.path, `${schedules}.sqlite`), template);
        try {
          for (const step of schedule) await performStep(simulation, step);
          await simulation.runToEnd(idleMs);
        } finally {
          await simulation.close();
        }
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });
});
