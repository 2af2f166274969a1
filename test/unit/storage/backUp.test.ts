import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { createNoise } from '../../support/pageDamage.ts';
import { itOnSmallDisk, SmallDisk } from '../../support/smallDisk.ts';

const migrations = [
  'CREATE TABLE shelf (name TEXT PRIMARY KEY, books BLOB) STRICT',
  'ALTER TABLE shelf ADD COLUMN height INTEGER',
  'ALTER TABLE shelf ADD COLUMN width INTEGER',
  'ALTER TABLE shelf ADD COLUMN depth INTEGER',
];

describe('the backup copy of a database before a migration', () => {
  let folder: DatabaseFolder;
  const opened: Database[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
  });
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    folder.remove();
  });

  function open(version = migrations.length, path = folder.file()): Database {
    const database = openDatabase({ path, migrations: migrations.slice(0, version) });
    opened.push(database);
    return database;
  }

  function shelves(database: Database): readonly string[] {
    return database.all<{ name: string }>('SELECT name FROM shelf ORDER BY name').map(({ name }) => name);
  }

  function backups(): readonly string[] {
    return folder.listNames().filter((name) => name.startsWith('backup-'));
  }

  it('contains every row, including rows that are only in the WAL of another window', () => {
    const other = open(1);
    other.write(() => other.run(`INSERT INTO shelf (name) VALUES ('kept')`));
    assert.deepEqual(shelves(open()), ['kept']);
    assert.deepEqual(backups(), ['backup-v1-things.db']);
    const copy = open(1, folder.file('backup-v1-things.db'));
    assert.deepEqual([shelves(copy), copy.readOnly], [['kept'], undefined]);
    if (process.platform !== 'win32') {
      assert.equal(statSync(folder.file('backup-v1-things.db')).mode & 0o777, 0o600);
    }
  });

  it('is not created for a new file, a file that needs no migration, or a database in memory', () => {
    open();
    open();
    open(undefined, ':memory:');
    assert.deepEqual(backups(), []);
  });

  it('exists for the last two migrations only', () => {
    for (const version of [1, 2, 3, 4]) {
      open(version).close();
      backups().forEach((name, nth) => {
        const seconds = Date.now() / 1000 - 60 + nth;
        utimesSync(folder.file(name), seconds, seconds);
      });
    }
    assert.deepEqual(backups(), ['backup-v2-things.db', 'backup-v3-things.db']);
  });

  it('is deleted after 30 days, so that it does not preserve chats that the user deleted', () => {
    open(1).close();
    open(2).close();
    const seconds = Date.now() / 1000 - 31 * 24 * 3_600;
    utimesSync(folder.file('backup-v1-things.db'), seconds, seconds);
    open(2).close();
    assert.deepEqual(backups(), []);
  });

  it('F91 has its draft deleted when the process is dead or the draft is old, but not while the process lives', () => {
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    const remaining = [`backup-v1-things.db.new-${dead}`, `backup-v1-things.db.new-${dead}-journal`];
    const others = ['things.db.new', 'things.db.new-wal', `things.db.probe-${dead}`];
    const living = `backup-v1-things.db.new-${process.ppid}`;
    const notOurs = `backup-v1-other.db.new-${dead}`;
    for (const name of [...remaining, ...others, living, notOurs]) writeFileSync(folder.file(name), 'half');
    open().close();
    assert.deepEqual(folder.listNames(), [living, notOurs, 'things.db', 'things.db.lock'].sort());
    utimesSync(folder.file(living), 0, 0);
    open().close();
    assert.ok(!folder.listNames().includes(living));
  });

  itOnSmallDisk(
    'F92 is not left incomplete on a full disk, and the migration waits until there is room',
    () => {
      const disk = SmallDisk.mount(8);
      assert.ok(disk);
      try {
        const path = join(disk.path, 'things.db');
        const old = open(1, path);
        old.write(() => old.run(`INSERT INTO shelf VALUES ('kept', ?)`, createNoise(3_000_000, 'books')));
        old.close();
        writeFileSync(join(disk.path, 'filler'), Buffer.alloc(3_500_000));
        const database = open(undefined, path);
        assert.equal(database.readOnly, 'full');
        assert.deepEqual(shelves(database), ['kept']);
        assert.equal(database.all('SELECT depth FROM shelf').length, 1);
        assert.throws(() => database.write(() => undefined), { name: 'StorageError', kind: 'full' });
        assert.equal(database.reopenForWriting(), false);
        assert.deepEqual(
          readdirSync(disk.path).filter((name) => name.startsWith('backup-')),
          [],
        );
        disk.free();
        assert.equal(database.reopenForWriting(), true);
        assert.deepEqual(shelves(database), ['kept']);
        assert.deepEqual(
          readdirSync(disk.path).filter((name) => name.startsWith('backup-')),
          ['backup-v1-things.db'],
        );
      } finally {
        for (const database of opened.splice(0)) database.close();
        disk.remove();
      }
    },
  );

  it('F93 is not created when the folder is not writable', () => {
    if (process.platform === 'win32') return;
    open(1).close();
    chmodSync(folder.file(), 0o644);
    folder.runUnwritable(() => assert.equal(open().readOnly, 'unwritable'));
    assert.deepEqual(backups(), []);
  });
});
