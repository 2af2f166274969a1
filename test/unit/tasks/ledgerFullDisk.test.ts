import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { addRunningTask, createDraft, openLedgerDatabase } from '../../support/ledgers.ts';
import { SmallDisk } from '../../support/smallDisk.ts';

describe('a ledger that cannot be written', () => {
  let crashed: string;
  let remaining: Readonly<Record<string, Buffer>>;
  const opened: Database[] = [];

  /** Creates the files that a dead window leaves: the newest tasks are only in the log. */
  before(() => {
    crashed = mkdtempSync(join(tmpdir(), 'crashed-'));
    const source = new DatabaseFolder();
    const database = openLedgerDatabase(source.file());
    const ledger = new Ledger(database, { window: 'w' });
    for (let n = 0; n < 5; n++) addRunningTask(ledger, `old-${n}`);
    database.all('PRAGMA wal_checkpoint(TRUNCATE)');
    for (let n = 0; n < 5; n++) addRunningTask(ledger, `new-${n}`);
    for (const end of ['', '-wal']) copyFileSync(source.file() + end, join(crashed, `tasks.sqlite${end}`));
    remaining = { '': readFileSync(source.file()), '-wal': readFileSync(`${source.file()}-wal`) };
    ledger.close();
    source.remove();
  });
  after(() => rmSync(crashed, { recursive: true }));
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });

  function open(path: string): { readonly ledger: Ledger; readonly database: Database } {
    const database = openLedgerDatabase(path);
    opened.push(database);
    return { ledger: new Ledger(database, { window: 'w' }), database };
  }

  function copyCrashedFiles(folder: string): string {
    for (const name of readdirSync(crashed)) copyFileSync(join(crashed, name), join(folder, name));
    return join(folder, 'tasks.sqlite');
  }

  /** Runs the test on a separate disk, or in a read-only folder if no disk can be mounted. */
  function runOnDisk(
    act: (path: string, disk: SmallDisk | undefined, makeReadOnly: () => void) => void,
  ): void {
    const disk = SmallDisk.mount(4);
    const folder = new DatabaseFolder();
    try {
      if (disk) act(copyCrashedFiles(disk.path), disk, () => disk.makeReadOnly());
      else {
        const path = copyCrashedFiles(folder.path);
        for (const name of folder.listNames()) chmodSync(folder.file(name), 0o644);
        folder.runUnwritable(() => act(path, undefined, () => {}));
      }
    } finally {
      for (const database of opened.splice(0)) database.close();
      disk?.remove();
      folder.remove();
    }
  }

  it('F92 on a full disk lists all tasks, reports why it is read-only, and accepts tasks once there is room', () => {
    runOnDisk((path, disk) => {
      disk?.fill();
      const { ledger, database } = open(path);
      assert.equal(ledger.list().length, 10);
      assert.equal(database.readOnly, disk ? 'full' : 'unwritable');
      const kind = disk ? 'full' : 'read-only';
      assert.throws(() => ledger.create(createDraft('one more')), { name: 'StorageError', kind });
      assert.equal(database.reopenForWriting(), false);
      assert.equal(ledger.list().length, 10);
      if (!disk) return;
      disk.free();
      assert.equal(database.reopenForWriting(), true);
      assert.equal(database.readOnly, undefined);
      addRunningTask(ledger, 'one more');
      assert.equal(ledger.list().length, 11);
      ledger.close();
      assert.equal(open(path).ledger.list().length, 11);
    });
  });

  it('F92 on a disk that fills while it is open still lists all tasks', () => {
    runOnDisk((path, disk) => {
      const { ledger } = open(path);
      assert.equal(ledger.list().length, 10);
      disk?.fill();
      const write = () => {
        for (let n = 0; n < 100; n++) ledger.create(createDraft(`more-${n}`, { prompt: 'x'.repeat(20_000) }));
      };
      assert.throws(write, { name: 'StorageError', kind: disk ? 'full' : 'read-only' });
      assert.ok(ledger.list().length >= 10);
      disk?.free();
      if (disk) addRunningTask(ledger, 'one more');
    });
  });

  it('F93 on a read-only disk lists tasks that are only in the WAL, and does not change its files', () => {
    runOnDisk((path, disk, makeReadOnly) => {
      makeReadOnly();
      const { ledger, database } = open(path);
      assert.equal(ledger.list().length, 10);
      assert.equal(database.readOnly, disk ? 'read-only-disk' : 'unwritable');
      assert.throws(() => ledger.create(createDraft('one more')), {
        name: 'StorageError',
        kind: 'read-only',
      });
      for (const end of ['', '-wal']) assert.deepEqual(readFileSync(path + end), remaining[end]);
    });
  });
});
