import assert from 'node:assert/strict';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import {
  addFinishedTask,
  addRunningTask,
  completedSnapshot,
  createDraft,
  createSnapshot,
  gateway,
  listStatuses,
  openLedgerDatabase,
  readStoredTask,
} from '../../support/ledgers.ts';

describe('the ledger in several windows', () => {
  let folder: DatabaseFolder;
  const open: Ledger[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
  });

  afterEach(() => {
    for (const ledger of open.splice(0)) ledger.close();
    folder.remove();
  });

  function openWindow(window: string): Ledger {
    const ledger = new Ledger(openLedgerDatabase(folder.file('ledger.db')), { window });
    open.push(ledger);
    return ledger;
  }

  const alwaysAlive = () => true;

  it('F70 creates and sends one task if two windows create it in the same second', () => {
    const windows = ['first', 'second'].map(openWindow);
    const created = windows.map((ledger) => ledger.create(createDraft('a')));
    assert.equal(created.filter(Boolean).length, 1);
    const sent = windows.map((ledger) => ledger.claimSubmission('a', 'request'));
    assert.equal(sent.filter(Boolean).length, 1);
  });

  it('F97 shows the changes of each window in the other, without undoing any', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    addRunningTask(first, 'a');
    first.recordSnapshot('a', createSnapshot({ rawStatus: 'QUEUED' }));
    second.recordSnapshot('a', createSnapshot({ rawStatus: 'RUNNING', progress: 5 }));
    first.setWatching('a', 'stopped');
    assert.deepEqual(first.get('a'), second.get('a'));
    const { rawStatus, progress, watching } = readStoredTask(second, 'a');
    assert.deepEqual([rawStatus, progress, watching], ['RUNNING', 5, 'stopped']);
    assert.deepEqual(listStatuses(first, 'a').slice(-2), ['running QUEUED', 'running RUNNING']);
  });

  it('F84 reports the end of a task once', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    addRunningTask(first, 'a');
    assert.deepEqual(
      [first.recordSnapshot('a', completedSnapshot), second.recordSnapshot('a', completedSnapshot)],
      ['ended', 'same'],
    );
    assert.deepEqual([second.claimNotice('a', 'ended'), first.claimNotice('a', 'ended')], [true, false]);
    assert.deepEqual(
      [second.claimDownload('a', 0, alwaysAlive), first.claimDownload('a', 0, alwaysAlive)],
      [true, false],
    );
  });

  it('reports changes of other windows, but not its own', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    assert.deepEqual([first.findChangesOfOthers(), second.findChangesOfOthers()], [[], []]);
    addRunningTask(first, 'a');
    assert.deepEqual(
      [first.findChangesOfOthers(), second.findChangesOfOthers(), second.findChangesOfOthers()],
      [[], ['a'], []],
    );
    first.setWatching('a', 'stopped');
    second.recordFailedPoll('a', { message: 'x' });
    assert.deepEqual([first.findChangesOfOthers(), second.findChangesOfOthers()], [['a'], ['a']]);
    assert.deepEqual([first.findChangesOfOthers(), second.findChangesOfOthers()], [[], []]);
    second.recordSnapshot('nothing', completedSnapshot);
    second.claimDownload('a', 0, alwaysAlive);
    assert.deepEqual(first.findChangesOfOthers(), []);
  });

  it('reads only the changed tasks after changes in another window', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    for (let nth = 0; nth < 300; nth++) first.create(createDraft(`task ${nth}`));
    assert.equal(second.list().length, 300);
    second.findChangesOfOthers();
    const unchanged = new Set(second.list());
    first.setWatching('task 7', 'stopped');
    first.remove('task 8');
    for (const key of ['new', 'newer', 'newest']) first.create(createDraft(key));
    assert.deepEqual(second.findChangesOfOthers(), ['task 7', 'task 8', 'new', 'newer', 'newest']);
    assert.deepEqual(second.list(), openWindow('third').list());
    const read = second.list().filter((task) => !unchanged.has(task));
    assert.deepEqual(
      read.map(({ key }) => key),
      ['newest', 'newer', 'new', 'task 7'],
    );
  });

  it('reads all tasks in a window that missed too many changes', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    first.create(createDraft('a'));
    first.create(createDraft('b'));
    assert.equal(second.list().length, 2);
    second.findChangesOfOthers();
    first.setWatching('b', 'stopped');
    for (let nth = 0; nth <= 5_000; nth++) first.setWatching('a', nth % 2 ? 'on' : 'stopped');
    assert.equal(second.findChangesOfOthers(), 'any');
    assert.deepEqual(second.list(), first.list());
    assert.equal(readStoredTask(second, 'b').watching, 'stopped');
  });

  it('lists two merged rows as one task in every window', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    first.create(createDraft('a'));
    first.claimSubmission('a', 'request-a');
    first.adopt({ gateway, gatewayName: 'work', snapshot: createSnapshot({ id: 'z' }) });
    assert.equal(second.list().length, 2);
    second.findChangesOfOthers();
    first.accept('a', 'z');
    assert.equal(second.findChangesOfOthers(), 'any');
    assert.deepEqual([second.list().length, first.list().length], [1, 1]);
    assert.deepEqual(second.list(), first.list());
  });

  it('adopts a task once from two windows', () => {
    const [first, second] = [openWindow('first'), openWindow('second')];
    const adoption = { gateway, gatewayName: 'work', snapshot: createSnapshot({ id: 'z' }) };
    assert.equal(first.adopt(adoption).key, second.adopt(adoption).key);
  });

  it('recovers a request of a dead window in only one window', () => {
    const [first, second, third] = [openWindow('first'), openWindow('second'), openWindow('third')];
    first.create(createDraft('a'));
    first.claimSubmission('a', 'request-a');
    const firstDied = (window: string) => window !== 'first';
    assert.deepEqual(
      [second.recover(firstDied), third.recover(firstDied)].map((tasks) => tasks.length),
      [1, 0],
    );
    // It was only frozen.
    first.accept('a', 'task-a');
    assert.deepEqual(
      [readStoredTask(third, 'a').status, readStoredTask(third, 'a').taskId],
      ['running', 'task-a'],
    );
  });

  describe('P12 has everything that a window wrote before it died', () => {
    const steps: readonly (readonly [status: string, step: (ledger: Ledger) => void])[] = [
      ['intent', (ledger) => ledger.create(createDraft('a'))],
      ['submitting', (ledger) => ledger.claimSubmission('a', 'request-a')],
      ['running', (ledger) => ledger.accept('a', 'task-a')],
      ['completed', (ledger) => ledger.recordSnapshot('a', completedSnapshot)],
    ];
    for (const [index, [status]] of steps.entries()) {
      it(`after the step to ${status}`, () => {
        const killed = openWindow('dying');
        for (const [, step] of steps.slice(0, index + 1)) step(killed);
        const next = openWindow('next');
        assert.equal(readStoredTask(next, 'a').status, status);
        assert.deepEqual(next.readHistory('a')?.request, createDraft('a').request);
        assert.deepEqual(next.get('a'), killed.get('a'));
      });
    }
  });

  it('F95 restores tasks from a damaged file', () => {
    const writer = openWindow('writer');
    for (let n = 0; n < 300; n++) addFinishedTask(writer, `task ${n}`);
    writer.claimNotice('task 7', 'ended');
    writer.close();
    const path = folder.file('ledger.db');
    truncateSync(path, Math.floor(statSync(path).size * 0.7));
    const database = openDatabase({ path, migrations: ledgerMigrations });
    assert.ok(database.setAside);
    const ledger = new Ledger(database, { window: 'next' });
    open.push(ledger);
    assert.ok(ledger.list().length > 100, `${ledger.list().length} tasks are left`);
    addRunningTask(ledger, 'new');
    assert.equal(ledger.list()[0]?.key, 'new');
  });

  it('F95 replaces a file that is not a ledger', () => {
    writeFileSync(folder.file('ledger.db'), '[{"tasks":');
    addRunningTask(openWindow('first'), 'a');
    assert.deepEqual(
      openWindow('second')
        .list()
        .map(({ key }) => key),
      ['a'],
    );
  });

  it('F96 lists the tasks of a later version, and rejects writes', () => {
    addFinishedTask(openWindow('writer'), 'a');
    const later = [...ledgerMigrations, 'ALTER TABLE tasks ADD COLUMN price REAL'];
    openDatabase({ path: folder.file('ledger.db'), migrations: later }).close();
    const ledger = openWindow('older');
    assert.deepEqual([ledger.list().length, readStoredTask(ledger, 'a').status], [1, 'completed']);
    for (const write of [
      () => ledger.create(createDraft('b')),
      () => ledger.setWatching('a', 'stopped'),
      () => ledger.claimNotice('a', 'ended'),
    ]) {
      assert.throws(write, { name: 'StorageError', kind: 'read-only' });
    }
  });
});
