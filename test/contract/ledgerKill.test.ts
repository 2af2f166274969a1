import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import {
  bundleLedgerChild,
  type ChildStart,
  CountingGateway,
  LedgerChild,
} from '../support/ledgerChildren.ts';
import { countRepetitions } from '../support/longRuns.ts';
import { seed } from '../support/seed.ts';
import { createRandom } from '../support/seededRandom.ts';

const killCount = countRepetitions(500);
const slotCount = 2;
/** The maximum number of messages that a window sends before it is killed. */
const messageCount = 24;

describe('the ledger in processes that are killed', () => {
  let folder: string;
  let program: string;
  let gateway: CountingGateway;
  let file: string;
  const children: LedgerChild[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-'));
    program = await bundleLedgerChild(join(folder, 'child.mjs'));
  });

  beforeEach(() => {
    gateway = new CountingGateway();
    file = join(mkdtempSync(join(folder, 'run-')), 'ledger.db');
  });

  afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())));

  after(() => rmSync(folder, { recursive: true, force: true }));

  function start(window: string, mode: ChildStart['mode'], rest: Partial<ChildStart> = {}): LedgerChild {
    const child = new LedgerChild({ program, file, window, mode, gateway, ...rest });
    children.push(child);
    return child;
  }

  function open(): { readonly database: Database; readonly ledger: Ledger } {
    const database = openDatabase({ path: file, migrations: ledgerMigrations });
    return { database, ledger: new Ledger(database, { window: 'test' }) };
  }

  function listSetAside(): readonly string[] {
    return readdirSync(join(file, '..')).filter(
      (name) => name.startsWith('corrupt-') && name.endsWith('.db'),
    );
  }

  /** One window after the other, each killed at a random moment between its first and its last instruction. */
  async function runSlot(number: number): Promise<void> {
    const roll = createRandom(seed + number);
    const name = (slot: number, life: number) => `window ${slot} ${life}`;
    for (let life = 0; life < killCount / slotCount; life++) {
      const child = start(name(number, life), 'work', {
        sibling: name(1 - number, life),
        delay: () => roll() * 4,
      });
      const messages = Math.floor(roll() * messageCount);
      // Before the first message it starts and opens the ledger, which takes longer than its later steps.
      await child.killAfter(messages, roll() * (messages === 0 ? 150 : 4));
    }
  }

  it(`F91 P5 P6 is intact, has every ID and is billed once per task: ${killCount} SIGKILLs (seed ${seed})`, async () => {
    await Promise.all(Array.from({ length: slotCount }, (_, number) => runSlot(number)));

    const { database, ledger } = open();
    assert.equal(database.get<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check, 'ok');
    assert.deepEqual(database.all('PRAGMA foreign_key_check'), []);
    assert.deepEqual(listSetAside(), []);
    for (const { key } of ledger.list()) assert.ok(ledger.readHistory(key)?.request, `${key} has no request`);
    const lost = [...gateway.stored].filter(([key, taskId]) => ledger.get(key)?.taskId !== taskId);
    assert.deepEqual(lost, [], 'reported ids are missing in the ledger');
    const forgotten = [...gateway.bills.keys()].filter(
      (key) => (ledger.get(key)?.status ?? 'intent') === 'intent',
    );
    assert.deepEqual(forgotten, [], 'billed tasks are missing in the ledger');
    ledger.close();

    await start('last', 'finish').waitForEnd();
    const after = open().ledger;
    const stages = new Map(after.list().map(({ key, taskId, status }) => [key, `${taskId} ${status}`]));
    for (const [key, id] of gateway.ids) assert.equal(stages.get(key), `${id} completed`);
    assert.deepEqual(
      after.listUnfinished().filter(({ key }) => gateway.bills.has(key)),
      [],
    );
    after.close();

    const findRepeated = (counts: ReadonlyMap<string, number>) =>
      [...counts].filter(([, count]) => count > 1);
    assert.deepEqual(findRepeated(gateway.bills), [], 'billed twice');
    assert.deepEqual(findRepeated(gateway.notices), [], 'notified twice');
    assert.ok(
      gateway.recovered > killCount / 50,
      `only ${gateway.recovered} requests were under way at a kill`,
    );
    assert.ok(gateway.bills.size > killCount, `only ${gateway.bills.size} tasks were made`);
  }).timeout(300_000);

  for (const [name, bytes] of [
    ['no ledger', undefined],
    ['a broken ledger', 'not a database at all'],
  ] as const) {
    it(`is created once by several windows that find ${name} at the same time`, async () => {
      if (bytes !== undefined) writeFileSync(file, bytes);
      const windows = Array.from({ length: 6 }, (_, number) => start(`window ${number}`, 'once'));
      await Promise.all(windows.map((window) => window.waitForEnd()));
      const { ledger } = open();
      assert.equal(ledger.list().filter(({ status }) => status === 'completed').length, 6);
      ledger.close();
      const expected = bytes === undefined ? 0 : 1;
      assert.deepEqual([listSetAside().length, gateway.setAside.length], [expected, expected]);
    }).timeout(30_000);
  }
});
