import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';
import { longRuns } from '../../../support/longRuns.ts';
import { seed } from '../../../support/seed.ts';
import { SavingSimulation } from './savingSimulation.ts';
import { scheduledEvents } from './scheduledEvents.ts';

const scheduleCount = longRuns ? 10_000 : 150;

describe('stored chats in random schedules', () => {
  const folder = new DatabaseFolder();

  after(() => folder.remove());

  it(`P16 have all typed and received text, and send their path, in ${scheduleCount} schedules (seed ${seed})`, async function () {
    this.timeout(1_200_000);
    let schedules = 0;
    const step = fc.tuple(fc.constantFrom(...scheduledEvents), fc.nat({ max: 6 }));
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
      async (schedule) => {
        const file = folder.file(`${++schedules}.sqlite`);
        const simulation = new SavingSimulation(file);
        for (const [kind, which] of schedule) await simulation.perform(kind, which);
        await simulation.checkStored();
        for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
      },
    );
    await fc.assert(property, { numRuns: scheduleCount });
  });

  it('look the same after a deletion is undone and after a reload', async () => {
    const simulation = new SavingSimulation(folder.file('undone.sqlite'));
    for (const kind of ['ask', 'finish', 'ask', 'finish'] as const) await simulation.perform(kind, 0);
    await simulation.perform('editAnswer', 1);
    for (const kind of ['delete', 'undo', 'reload'] as const) await simulation.perform(kind, 0);
    await simulation.checkStored();
  });

  it('show the gap of a deleted reply again after a reload, next to an edited one', async () => {
    for (const kinds of [
      ['ask', 'finish', 'delete', 'editAnswer', 'show', 'reload'],
      ['fillDisk', 'ask', 'finish', 'delete', 'editAnswer', 'show', 'freeDisk', 'reload'],
    ] as const) {
      const simulation = new SavingSimulation(folder.file(`gap ${kinds.length}.sqlite`));
      for (const kind of kinds) await simulation.perform(kind, 0);
      await simulation.checkStored();
    }
  });
});
