import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type Database,
  openDatabase,
  StorageError,
  type StorageErrorKind,
} from '../../../src/storage/database.ts';
import { DatabaseUpkeep } from '../../../src/storage/upkeep/databaseUpkeep.ts';
import { flushLog } from '../../../src/storage/writeAheadLog.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';

const migrations = [
  'CREATE TABLE shelf (name TEXT PRIMARY KEY) STRICT',
  `CREATE TABLE book (title TEXT NOT NULL, shelf TEXT NOT NULL REFERENCES shelf ON DELETE CASCADE) STRICT;
   INSERT INTO shelf VALUES ('found'); INSERT INTO book VALUES ('left behind', 'found')`,
  'ALTER TABLE book ADD COLUMN pages INTEGER',
];

const pageSize = 4_096;

function shelves(database: Database): readonly string[] {
  return database.all<{ name: string }>('SELECT name FROM shelf ORDER BY name').map(({ name }) => name);
}

function put(database: Database, name: string): number {
  return database.run('INSERT INTO shelf VALUES (?)', name);
}

function ofKind(kind: StorageErrorKind): (error: unknown) => boolean {
  return (error) => error instanceof StorageError && error.kind === kind;
}

describe('a database', () => {
  let folder: DatabaseFolder;
  const opened: Database[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
  });

  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    folder.remove();
  });

  function open(path = folder.file(), scripts: readonly string[] = migrations, now?: () => number): Database {
    const database = openDatabase({ path, migrations: scripts, ...(now && { now }) });
    opened.push(database);
    return database;
  }

  it('has a WAL that shrinks again after a large write', () => {
    const path = folder.file();
    const database = open(path);
    const logBytes = () => statSync(`${path}-wal`).size;
    const large = 'x'.repeat(1024 * 1024);
    database.write(() => {
      for (let nth = 0; nth < 20; nth++) put(database, `${nth} ${large}`);
    });
    assert.ok(logBytes() > 20 * 1024 * 1024);
    database.write(() => put(database, 'a'));
    assert.ok(logBytes() <= 8 * 1024 * 1024);
    assert.equal(shelves(database).length, 22);
  });

  it('is created with its folder, and its files are accessible to this user only', () => {
    const path = join(folder.path, 'not', 'there', 'yet.db');
    put(open(path), 'a');
    if (process.platform !== 'win32') {
      assert.deepEqual(
        [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777),
        [0o600, 0o600, 0o600],
      );
    }
  });

  it('still has its rows when it is opened again, without reporting a repair', () => {
    put(open(), 'a');
    const again = open();
    assert.deepEqual(shelves(again), ['a', 'found']);
    assert.deepEqual([again.setAside, again.readOnly], [undefined, undefined]);
  });

  it('enforces foreign keys', () => {
    const database = open();
    assert.throws(() => database.run(`INSERT INTO book VALUES ('x', 'nowhere', 1)`), ofKind('other'));
    database.run(`DELETE FROM shelf WHERE name = 'found'`);
    assert.deepEqual(database.all('SELECT * FROM book'), []);
  });

  it('works without a file', () => {
    const database = open(':memory:');
    database.writeDurably(() => put(database, 'a'));
    assert.deepEqual(shelves(database), ['a', 'found']);
  });

  describe('migrates', () => {
    for (const version of migrations.keys()) {
      it(`from version ${version} without losing rows`, () => {
        const old = open(folder.file(), migrations.slice(0, version));
        if (version > 0) put(old, 'kept');
        old.close();
        const database = open();
        assert.deepEqual(shelves(database), version > 0 ? ['found', 'kept'] : ['found']);
        database.run(`INSERT INTO book VALUES ('new', 'found', 7)`);
      });
    }

    it('only once, even if several connections open it', () => {
      open(folder.file(), migrations.slice(0, 1));
      assert.deepEqual(shelves(open()), ['found']);
      assert.deepEqual(shelves(open()), ['found']);
    });

    it('without any effect if one of the scripts fails', () => {
      const broken = [...migrations.slice(0, 1), 'CREATE TABLE half (x); INSERT INTO nothing VALUES (1)'];
      put(open(folder.file(), migrations.slice(0, 1)), 'kept');
      assert.throws(() => open(folder.file(), broken), ofKind('other'));
      const database = open();
      assert.deepEqual(shelves(database), ['found', 'kept']);
      assert.throws(() => database.all('SELECT * FROM half'), ofKind('other'));
    });
  });

  describe('writes', () => {
    for (const how of ['write', 'writeDurably'] as const) {
      it(`all changes with ${how}, or none if the callback throws`, () => {
        const database = open();
        const stop = new Error('stop');
        assert.throws(
          () =>
            database[how](() => {
              put(database, 'a');
              throw stop;
            }),
          stop,
        );
        assert.deepEqual(shelves(database), ['found']);
        assert.equal(
          database[how](() => put(database, 'b')),
          1,
        );
        assert.deepEqual(shelves(open()), ['b', 'found']);
      });
    }

    it('with a flush to the disk in writeDurably only', () => {
      const database = open();
      const level = () => database.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous;
      assert.deepEqual([level(), database.writeDurably(level), level(), database.write(level)], [1, 2, 1, 1]);
    });

    it('nothing into a file that was moved away', () => {
      const database = open();
      renameSync(folder.file(), folder.file('elsewhere.db'));
      assert.throws(() => database.write(() => put(database, 'lost')), ofKind('damaged'));
      assert.throws(() => database.writeDurably(() => put(database, 'lost')), ofKind('damaged'));
    });

    it('F95 into the new file after its own file was replaced', () => {
      const database = open();
      renameSync(folder.file(), folder.file('elsewhere.db'));
      for (const end of ['-wal', '-shm']) renameSync(folder.file() + end, folder.file('elsewhere.db') + end);
      const fresh = open();
      fresh.write(() => put(fresh, 'a'));
      database.write(() => put(database, 'b'));
      database.writeDurably(() => put(database, 'c'));
      assert.deepEqual(shelves(fresh), ['a', 'b', 'c', 'found']);
      assert.equal(database.setAside, undefined);
    });
  });

  it('P12 flushes its log to the disk, and reports errors of the flush', async () => {
    const database = open();
    database.write(() => put(database, 'a'));
    const file = await openFile(`${folder.file()}-wal`);
    const prototype = Object.getPrototypeOf(file);
    await file.close();
    const { sync } = prototype;
    let count = 0;
    try {
      prototype.sync = async () => {
        count += 1;
        throw Object.assign(new Error('the disk failed'), { code: 'EIO' });
      };
      await assert.rejects(flushLog(folder.file()), { code: 'EIO' });
    } finally {
      prototype.sync = sync;
    }
    assert.equal(count, 1);
    await flushLog(folder.file());
  });

  it('F92 on a full disk does not lose its old state, and accepts writes again once there is room', () => {
    const database = open();
    const { page_count: pages = 0 } = database.get<{ page_count: number }>('PRAGMA page_count') ?? {};
    database.get(`PRAGMA max_page_count = ${pages}`);
    const fill = () => database.writeDurably(() => put(database, 'x'.repeat(100_000)));
    assert.throws(fill, ofKind('full'));
    assert.deepEqual(shelves(database), ['found']);
    database.get('PRAGMA max_page_count = 1000000');
    fill();
    assert.equal(shelves(open()).length, 2);
  });

  it('reports busy when a write waits too long for another process', () => {
    const database = open();
    const other = open();
    other.get('PRAGMA busy_timeout = 0');
    database.write(() => {
      assert.throws(() => other.write(() => put(other, 'a')), ofKind('busy'));
    });
    other.write(() => put(other, 'b'));
    assert.deepEqual(shelves(database), ['b', 'found']);
  });

  const describeWithModes = process.platform === 'win32' ? () => undefined : describe;

  describeWithModes('F93 in a folder that is not writable', () => {
    it('is not created', () => {
      assert.throws(() => folder.runUnwritable(() => open()), ofKind('read-only'));
      assert.deepEqual(folder.listNames(), []);
    });

    it('is not created below a file either', () => {
      open().close();
      assert.throws(() => open(join(folder.file(), 'below.db')), ofKind('read-only'));
    });

    it('can be read, and rejects writes', () => {
      const writer = open();
      put(writer, 'a');
      writer.close();
      chmodSync(folder.file(), 0o644);
      folder.runUnwritable(() => {
        const database = open();
        assert.equal(database.readOnly, 'unwritable');
        assert.deepEqual(shelves(database), ['a', 'found']);
        assert.throws(() => database.writeDurably(() => put(database, 'b')), ofKind('read-only'));
        assert.throws(() => put(database, 'b'), ofKind('read-only'));
      });
    });

    it('is migrated in a copy only', () => {
      open(folder.file(), migrations.slice(0, 2)).close();
      chmodSync(folder.file(), 0o644);
      const before = readFileSync(folder.file());
      folder.runUnwritable(() => {
        const database = open();
        assert.equal(database.readOnly, 'unwritable');
        assert.equal(database.get<{ pages: null }>('SELECT pages FROM book')?.pages, null);
        assert.throws(() => put(database, 'b'), ofKind('read-only'));
      });
      assert.deepEqual(readFileSync(folder.file()), before);
    });
  });

  it('F96 of a later version can be read, and is not changed', () => {
    const later = open(folder.file(), [...migrations, 'ALTER TABLE shelf ADD COLUMN height INTEGER']);
    later.run(`INSERT INTO shelf VALUES ('tall', 3)`);
    const database = open();
    assert.equal(database.readOnly, 'newer');
    assert.deepEqual(shelves(database), ['found', 'tall']);
    assert.throws(() => database.writeDurably(() => put(database, 'b')), ofKind('read-only'));
    assert.deepEqual(later.all('SELECT name, height FROM shelf').length, 2);
    assert.equal(database.setAside, undefined);
  });

  it('F95 is checked each time it is opened, so that an index with swapped pages is found at once', () => {
    const database = open();
    database.write(() => {
      for (let n = 0; n < 500; n++) put(database, `shelf ${n} ${'long '.repeat(20)}`);
    });
    const leaves = database.all<{ pageno: number }>(
      `SELECT pageno FROM dbstat WHERE name = 'sqlite_autoindex_shelf_1' AND pagetype = 'leaf' LIMIT 2`,
    );
    database.close();
    const [one = 0, other = 0] = leaves.map(({ pageno }) => (pageno - 1) * pageSize);
    const bytes = readFileSync(folder.file());
    const swapped = Buffer.from(bytes);
    bytes.copy(swapped, one, other, other + pageSize);
    bytes.copy(swapped, other, one, one + pageSize);
    writeFileSync(folder.file(), swapped);
    const repaired = open();
    assert.ok(repaired.setAside !== undefined);
    assert.equal(shelves(repaired).length, 501);
  });

  it('F93 locked by another process is opened later, without blocking a thread that must not wait', async () => {
    for (const isNew of [true, false]) {
      const path = folder.file(isNew ? 'new.db' : 'old.db');
      if (!isNew) open(path).close();
      // For a new file, the lock file next to it is locked; an existing file itself is locked.
      const other = new DatabaseSync(isNew ? `${path}.lock` : path);
      other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      const unlocking = setTimeout(() => other.close(), 100);
      const upkeep = new DatabaseUpkeep({
        file: path,
        version: migrations.length,
        onNotice: () => undefined,
        onError: () => undefined,
        worker: { request: () => Promise.reject(new Error('There is no worker.')) },
      });
      const { database } = await upkeep.open((isNonBlocking) => ({
        database: openDatabase({ path, migrations, isNonBlocking }),
      }));
      clearTimeout(unlocking);
      opened.push(database);
      assert.deepEqual(shelves(database), ['found']);
    }
  });

  describe('of an earlier version', () => {
    const isCopied = () => folder.listNames().some((name) => name.startsWith('backup-v1-'));

    async function openedTwice(migrateFile: (path: string) => Promise<unknown>) {
      const path = folder.file();
      open(path, migrations.slice(0, 1)).close();
      const requests: string[] = [];
      const errors: unknown[] = [];
      for (let times = 0; times < 2; times++) {
        const upkeep = new DatabaseUpkeep({
          file: path,
          version: migrations.length,
          onError: (error) => errors.push(error),
          onNotice: ({ type }) => assert.fail(type),
          worker: {
            async request(kind) {
              requests.push(kind);
              await migrateFile(path);
              return undefined as never;
            },
          },
        });
        const { database } = await upkeep.open((isNonBlocking) => ({
          database: openDatabase({ path, migrations, isNonBlocking }),
        }));
        assert.deepEqual(shelves(database), ['found']);
        database.close();
      }
      assert.ok(isCopied());
      return { requests, errors };
    }

    it('is copied and migrated by the worker before this thread opens it, and only once', async () => {
      const { requests, errors } = await openedTwice(async (path) => {
        assert.ok(!isCopied());
        openDatabase({ path, migrations }).close();
        assert.ok(isCopied());
      });
      assert.deepEqual([requests, errors], [['migrate'], []]);
    });

    it('is opened even if the worker fails', async () => {
      const broken = new Error('The worker is gone.');
      assert.deepEqual((await openedTwice(() => Promise.reject(broken))).errors, [broken]);
    });
  });

  it('rethrows errors unchanged that are not storage errors', () => {
    const database = open();
    const error = new TypeError('a mistake');
    assert.throws(
      () =>
        database.write(() => {
          throw error;
        }),
      error,
    );
  });
});
