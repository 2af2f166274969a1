import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { addRunningTask, completedSnapshot, openLedgerDatabase } from '../../support/ledgers.ts';
import { countRepetitions } from '../../support/longRuns.ts';
import { createNoise, overwrite } from '../../support/pageDamage.ts';

const taskCount = 60;

const hole = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.constantFrom(1, 4, 64, 512, 4096, 20_000),
  filling: fc.constantFrom('zeros', 'ones', 'noise'),
});

type Hole = typeof hole extends fc.Arbitrary<infer Value> ? Value : never;

describe('F95 a ledger with damage anywhere', function () {
  this.timeout(300_000);
  const folder = new DatabaseFolder();
  let intact: Buffer;

  before(() => {
    const ledger = new Ledger(openLedgerDatabase(folder.file()), { window: 'w' });
    for (let n = 0; n < taskCount; n++) {
      addRunningTask(ledger, `key-${n}`);
      ledger.recordFailedPoll(`key-${n}`, { message: 'no answer' });
      if (n % 2 === 0)
        ledger.recordSnapshot(`key-${n}`, {
          ...completedSnapshot,
          raw: { long: 'x'.repeat(n % 3 === 0 ? 9_000 : 9) },
        });
    }
    ledger.close();
    intact = readFileSync(folder.file());
  });
  afterEach(clear);
  after(() => folder.remove());

  function clear(): void {
    for (const name of folder.listNames()) rmSync(folder.file(name));
  }

  function damaged(holes: readonly Hole[]): Buffer {
    const bytes = Buffer.from(intact);
    for (const { at, length, filling } of holes) {
      const content =
        filling === 'noise'
          ? createNoise(length, String(at))
          : Buffer.alloc(length, filling === 'ones' ? 255 : 0);
      content.copy(bytes, Math.floor(at * (bytes.length - length)));
    }
    return bytes;
  }

  /** @returns the number of tasks that are still listed */
  function useLedger(ledger: Ledger): number {
    for (const { key } of ledger.list()) {
      ledger.readHistory(key);
      ledger.get(key);
    }
    addRunningTask(ledger, 'new');
    ledger.listUnfinished();
    const list = ledger.list();
    assert.ok(list.some(({ key }) => key === 'new'));
    return list.length - 1;
  }

  for (const when of ['before it is opened', 'while it is open'] as const) {
    it(`that occurs ${when} lists the remaining tasks, and accepts new ones`, () => {
      fc.assert(
        fc.property(fc.array(hole, { minLength: 1, maxLength: 8 }), (holes) => {
          clear();
          writeFileSync(folder.file(), when === 'while it is open' ? intact : damaged(holes));
          const database = openLedgerDatabase(folder.file());
          const ledger = new Ledger(database, { window: 'w' });
          if (when === 'while it is open') {
            ledger.list();
            database.all('PRAGMA shrink_memory');
            overwrite(folder.file(), damaged(holes));
          }
          const stored = useLedger(ledger);
          ledger.close();
          if (holes.length === 1 && holes[0]?.length !== 20_000)
            assert.ok(stored >= taskCount - 20, String(stored));
        }),
        { numRuns: countRepetitions(400) },
      );
    });
  }
});
