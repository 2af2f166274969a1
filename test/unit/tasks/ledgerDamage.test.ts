import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../src/storage/database.ts';
import { WindowRegistry } from '../../../src/storage/windowRegistry.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import type { Task } from '../../../src/tasks/record/task.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import {
  addRunningTask,
  completedSnapshot,
  createDraft,
  createSnapshot,
  openLedgerDatabase,
} from '../../support/ledgers.ts';
import { longRuns } from '../../support/longRuns.ts';
import { createNoise, damages, overwrite, pageSize, readPage } from '../../support/pageDamage.ts';
import { waitForWork } from '../../support/testClock.ts';

const taskCount = longRuns ? 150 : 60;
/** Each kind of damage starts with a different page, so that all pages are damaged. */
const pageStep = longRuns ? 1 : 5;
/** Some texts are longer than a page. */
const longEvery = 9;

/** A task's name is repeated throughout its bytes, so that a test can identify the owner of a page. */
const createName = (n: number) => `key-${String(n).padStart(3, '0')}`;

function fill(ledger: Ledger): void {
  for (let n = 0; n < taskCount; n++) {
    const key = createName(n);
    const prompt = `${key} `.repeat(n % longEvery === 0 ? 1_200 : 20);
    const request = { model: 'film-1', input: { prompt } };
    ledger.create(createDraft(key, { prompt, request }));
    ledger.claimSubmission(key, `request-${key}`);
    if (n % 10 === 3) {
      ledger.markUnknown(key, { message: `lost ${key}` }, '{"task":');
      continue;
    }
    ledger.accept(key, `task-${key}`);
    ledger.recordSnapshot(
      key,
      n % 2 === 0
        ? { ...completedSnapshot, raw: { prompt } }
        : createSnapshot({ rawStatus: 'RUNNING', progress: n }),
    );
    ledger.recordFailedPoll(key, { message: `poll of ${key}` });
  }
  // Removed tasks leave free pages.
  for (let n = 0; n < 5; n++) addRunningTask(ledger, `removed-${n}`);
  ledger.create(createDraft('removed-long', { prompt: 'removed-long '.repeat(3_000) }));
  for (const task of ledger.list()) if (task.key.startsWith('removed')) ledger.remove(task.key);
  ledger.discard('removed-long');
}

describe('F95 a damaged ledger', function () {
  this.timeout(300_000);
  const library = new DatabaseFolder();
  let folder: DatabaseFolder;
  let intact: Buffer;
  let tasks: ReadonlyMap<string, Task>;
  /** The owner of each page, from 0. */
  let owners: readonly string[];
  const open: Database[] = [];

  before(() => {
    const database = openLedgerDatabase(library.file());
    const ledger = new Ledger(database, { window: 'w' });
    fill(ledger);
    tasks = new Map(ledger.list().map((task) => [task.key, task]));
    database.all('PRAGMA wal_checkpoint(TRUNCATE)');
    const used = new Map(
      database
        .all<{ pageno: number; name: string }>('SELECT pageno, name FROM dbstat')
        .map(({ pageno, name }) => [pageno - 1, name]),
    );
    ledger.close();
    intact = readFileSync(library.file());
    owners = Array.from({ length: intact.length / pageSize }, (_, page) => used.get(page) ?? 'free');
    assert.ok(owners.includes('free') && owners.length > 40, owners.join());
  });
  after(() => library.remove());

  beforeEach(() => {
    folder = new DatabaseFolder();
  });
  afterEach(() => {
    closeAll();
    folder.remove();
  });

  function ledgerOn(path = folder.file()): { readonly ledger: Ledger; readonly database: Database } {
    const database = openLedgerDatabase(path);
    open.push(database);
    return { ledger: new Ledger(database, { window: 'w' }), database };
  }

  /** The tasks that have a part on a page. */
  function findOwners(page: number): ReadonlySet<string> {
    if (owners[page] !== 'tasks') return new Set();
    return new Set(
      readPage(intact, page)
        .toString('latin1')
        .match(/key-\d{3}/g),
    );
  }

  function check(
    ledger: Ledger,
    lost: ReadonlySet<string>,
    description: string,
    hasLostResults = false,
  ): number {
    const list = new Map(ledger.list().map((task) => [task.key, task]));
    for (const [key, task] of tasks) {
      if (lost.has(key)) continue;
      const found = list.get(key);
      assert.ok(found, `${description}: ${key} is lost`);
      assert.deepEqual(
        hasLostResults ? { ...found, results: [] } : found,
        hasLostResults ? { ...task, results: [] } : task,
        description,
      );
      assert.ok(ledger.readHistory(key), description);
    }
    assert.deepEqual(
      [...list.keys()].filter((key) => key.startsWith('removed')),
      [],
      description,
    );
    addRunningTask(ledger, 'new');
    assert.equal(ledger.list().find(({ key }) => key === 'new')?.status, 'running', description);
    ledger.remove('new');
    return [...tasks.keys()].filter((key) => list.has(key)).length;
  }

  function closeAll(): void {
    for (const database of open.splice(0)) database.close();
  }

  function startOver(): void {
    closeAll();
    for (const name of folder.listNames()) rmSync(folder.file(name));
  }

  let nth = 0;
  for (const [kind, damage] of Object.entries(damages)) {
    for (const when of ['before it is opened', 'while it is open'] as const) {
      const first = nth++ % pageStep;
      it(`with ${kind} in place of any page ${when} restores every task whose bytes are intact`, async () => {
        for (let page = first; page < owners.length; page += pageStep) {
          const description = `page ${page + 1} (${owners[page]}) with ${kind} ${when}`;
          const changed = kind === 'the next page' ? [page, (page + 1) % owners.length] : [page];
          const lost = new Set(changed.flatMap((each) => (isMoved(kind, each) ? [] : [...findOwners(each)])));
          const hasLostResults = changed.some((each) => owners[each]?.includes('results'));
          writeFileSync(folder.file(), when === 'before it is opened' ? damage(intact, page) : intact);
          const { ledger, database } = ledgerOn();
          if (when === 'while it is open') {
            ledger.list();
            database.all('PRAGMA shrink_memory');
            overwrite(folder.file(), damage(intact, page));
            ledger.findChangesOfOthers();
          }
          check(ledger, lost, description, hasLostResults);
          await waitForWork();
          startOver();
        }
      });
    }
  }

  it('truncated at any page restores every task whose bytes are intact', () => {
    for (let page = 1; page < owners.length; page += pageStep) {
      const lost = new Set<string>();
      for (let lostPage = page; lostPage < owners.length; lostPage++)
        for (const key of findOwners(lostPage)) lost.add(key);
      writeFileSync(folder.file(), intact.subarray(0, page * pageSize + 100));
      check(ledgerOn().ledger, lost, `cut at page ${page + 1}`, true);
      startOver();
    }
  });

  it('restores tasks from their index entries, with or without an id, and reports their number', () => {
    let withoutId = 0;
    for (let page = 1; page < owners.length; page++) {
      const keys = findOwners(page);
      if (keys.size === 0 || isOverflow(page)) continue;
      writeFileSync(folder.file(), damages['zero bytes']?.(intact, page) ?? intact);
      const { ledger, database } = ledgerOn();
      const list = ledger.list();
      for (const key of keys) {
        const task = tasks.get(key);
        if (task?.taskId !== undefined) {
          const found = ledger.find(task.gateway, task.taskId);
          assert.deepEqual([found?.key, found?.status], [key, task.status]);
        } else {
          withoutId++;
          const found = ledger.get(key);
          assert.deepEqual([found?.status, found?.gateway], [task?.status, task?.gateway]);
          assert.deepEqual(ledger.readHistory(key)?.unclearReply, '{"task":');
        }
      }
      const { saved = 0, lost = 0 } = database.salvaged ?? {};
      assert.deepEqual([saved, lost, list.length], [taskCount, 0, taskCount]);
      startOver();
    }
    assert.ok(withoutId > 0);
  });

  it('reports the number of lost tasks if their indexes are destroyed too', () => {
    const damaged = Buffer.from(intact);
    owners.forEach((owner, page) => {
      if (page > 1 && (owner === 'tasks' || owner.includes('tasks_')))
        damaged.fill(0, page * pageSize, (page + 1) * pageSize);
    });
    writeFileSync(folder.file(), damaged);
    const { ledger, database } = ledgerOn();
    assert.equal(database.salvaged?.saved, ledger.list().length);
    assert.equal((database.salvaged?.saved ?? 0) + (database.salvaged?.lost ?? 0), taskCount);
  });

  it('is reported as complete if an index is damaged, but not if the record of a task is damaged', () => {
    const index = owners.indexOf('tasks_by_status') * pageSize;
    const withoutIndex = () => {
      const bytes = readFileSync(folder.file());
      overwrite(folder.file(), bytes.fill(0, index, index + pageSize));
      return ledgerOn().database.salvaged;
    };
    writeFileSync(folder.file(), intact);
    assert.deepEqual(withoutIndex(), { saved: taskCount, lost: 0, isComplete: true });
    startOver();
    writeFileSync(folder.file(), intact);
    ledgerOn().database.run(`UPDATE replies SET record = 'torn' WHERE key = ?`, createName(0));
    closeAll();
    assert.deepEqual(withoutIndex(), { saved: taskCount, lost: 0, isComplete: false });
  });

  it('restores a task as an intent only if no newer change can be missing', () => {
    const { ledger } = ledgerOn();
    ledger.create(createDraft('intended'));
    closeAll();
    const cut = readFileSync(folder.file()).subarray(0, -100);
    overwrite(folder.file(), cut);
    const { ledger: certain, database } = ledgerOn();
    assert.ok(database.setAside !== undefined);
    assert.equal(certain.get('intended')?.status, 'intent');
    const bytes = readFileSync(folder.file());
    closeAll();
    overwrite(folder.file(), damages['zero bytes']?.(bytes, 0) ?? bytes);
    const { ledger: uncertain } = ledgerOn();
    assert.equal(uncertain.get('intended')?.status, 'unknown');
    assert.equal(uncertain.claimSubmission('intended', 'r'), false);
  });

  it('damaged between a click and its request is repaired, and a restored intent can be sent', () => {
    for (let page = 1; page < owners.length; page += pageStep) {
      writeFileSync(folder.file(), intact);
      const { ledger, database } = ledgerOn();
      ledger.create(createDraft('clicked'));
      database.all('PRAGMA wal_checkpoint(TRUNCATE)');
      const bytes = readFileSync(folder.file());
      database.all('PRAGMA shrink_memory');
      overwrite(folder.file(), damages['zero bytes']?.(bytes, page) ?? bytes);
      const isThere = ledger.get('clicked') !== undefined;
      assert.equal(
        isThere && ledger.get('clicked')?.status === 'intent',
        ledger.claimSubmission('clicked', 'r'),
        `${page}`,
      );
      startOver();
    }
  });

  it('without its lead row or its revision row is repaired', () => {
    for (const table of ['lead', 'revision']) {
      writeFileSync(folder.file(), intact);
      const { ledger, database } = ledgerOn();
      database.run(`DELETE FROM ${table}`);
      const windows = new WindowRegistry(database, { window: 'w' });
      windows.writeHeartbeat();
      assert.equal(windows.tryToLead(), true);
      addRunningTask(ledger, 'new');
      assert.equal(ledger.list().length, taskCount + 1);
      startOver();
    }
  });

  describe('with a damaged WAL', () => {
    let file: Buffer;
    let log: Buffer;
    let logged: ReadonlyMap<string, Task>;
    const frameBytes = pageSize + 24;

    before(() => {
      const place = new DatabaseFolder();
      writeFileSync(place.file(), intact);
      const database = openLedgerDatabase(place.file());
      const ledger = new Ledger(database, { window: 'w' });
      for (let n = 0; n < 8; n++) addRunningTask(ledger, `logged-${n}`);
      logged = new Map(ledger.list().map((task) => [task.key, task]));
      file = readFileSync(place.file());
      log = readFileSync(`${place.file()}-wal`);
      ledger.close();
      place.remove();
    });

    const damageAt = (from: number, length: number) => {
      const damaged = Buffer.from(log);
      createNoise(length, String(from)).copy(damaged, from);
      return damaged;
    };
    const frames = () => Math.floor((log.length - 32) / frameBytes);

    function openWith(damagedLog: Buffer): Ledger {
      writeFileSync(folder.file(), file);
      writeFileSync(`${folder.file()}-wal`, damagedLog);
      const { ledger } = ledgerOn();
      addRunningTask(ledger, 'new');
      ledger.remove('new');
      return ledger;
    }

    it('has all rows if the WAL header is damaged', () => {
      const ledger = openWith(damageAt(0, 32));
      assert.deepEqual(new Map(ledger.list().map((task) => [task.key, task])), logged);
    });

    it('loses at most two tasks if a WAL frame is damaged', () => {
      for (let frame = 0; frame < frames(); frame += longRuns ? 1 : 3) {
        for (const [from, length] of [
          [0, frameBytes],
          [24, pageSize],
          [8, 16],
        ] as const) {
          const ledger = openWith(damageAt(32 + frame * frameBytes + from, length));
          const listedKeys = new Set(ledger.list().map(({ key }) => key));
          for (const key of tasks.keys()) assert.ok(listedKeys.has(key), `${frame}: ${key}`);
          // Each of these tasks is in many frames; a frame holds the newest state of one page only.
          const lostKeys = [...logged.keys()].filter((key) => !listedKeys.has(key));
          assert.ok(lostKeys.length <= 2, `frame ${frame} from ${from}: ${lostKeys}`);
          startOver();
        }
      }
    });

    it('is not set aside if the WAL is truncated, as after a crash', () => {
      for (let cut = 0; cut < log.length; cut += 7_001) {
        openWith(log.subarray(0, cut));
        assert.ok(!folder.listNames().some((name) => name.startsWith('corrupt')), `cut at ${cut}`);
        startOver();
      }
    });

    it('has all rows if the WAL index is damaged', () => {
      writeFileSync(`${folder.file()}-shm`, createNoise(32_768, 'index'));
      const ledger = openWith(log);
      assert.deepEqual(new Map(ledger.list().map((task) => [task.key, task])), logged);
      assert.ok(existsSync(folder.file()));
    });
  });

  it('is replaced for all windows, which write to the new file, and is reported by one of them', async () => {
    writeFileSync(folder.file(), intact);
    const windows = [ledgerOn(), ledgerOn(), ledgerOn()];
    const noticeCounts = windows.map(() => 0);
    for (const [index, { ledger }] of windows.entries()) {
      ledger.onDidChange((key) => {
        if (key === undefined) noticeCounts[index] = (noticeCounts[index] ?? 0) + 1;
      });
    }
    const page = owners.lastIndexOf('tasks');
    for (const { database } of windows) database.all('PRAGMA shrink_memory');
    overwrite(folder.file(), damages['random bytes']?.(intact, page) ?? intact);
    for (const [index, { ledger }] of windows.entries()) addRunningTask(ledger, `window-${index}`);
    await waitForWork();
    for (const { ledger } of windows) {
      const keys = ledger.list().map(({ key }) => key);
      assert.deepEqual(keys.filter((key) => key.startsWith('window-')).sort(), [
        'window-0',
        'window-1',
        'window-2',
      ]);
    }
    // In a large ledger, the damage may only be found when all of it is read.
    await waitForWork();
    assert.equal(windows.filter(({ database }) => database.setAside !== undefined).length, 1);
    assert.ok(!noticeCounts.includes(0), noticeCounts.join());
    assert.equal(folder.listNames().filter((name) => /^corrupt-.*things\.db$/.test(name)).length, 1);
  });

  /** Data on a wrong page is intact, except the end of a long text, which has no reference there. */
  function isMoved(kind: string, page: number): boolean {
    return kind === 'the next page' && !isOverflow(page);
  }

  function isOverflow(page: number): boolean {
    return owners[page] === 'tasks' && ![2, 5, 10, 13].includes(readPage(intact, page)[0] ?? 0);
  }
});
