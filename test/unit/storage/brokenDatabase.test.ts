import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { longRuns } from '../../support/longRuns.ts';
import { createNoise, overwrite } from '../../support/pageDamage.ts';

const migrations = [
  `CREATE TABLE shelf (name TEXT PRIMARY KEY, height INTEGER NOT NULL CHECK (height > 0)) STRICT;
   CREATE TABLE book (
     id INTEGER PRIMARY KEY,
     title TEXT NOT NULL UNIQUE,
     shelf TEXT NOT NULL REFERENCES shelf ON DELETE CASCADE
   ) STRICT;
   CREATE TABLE counter (one INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
   INSERT INTO counter VALUES (1, 0)`,
  'ALTER TABLE book ADD COLUMN pages INTEGER NOT NULL DEFAULT 1',
];

const nowMs = Date.UTC(2030, 0, 2, 3, 4, 5, 678);
const bookCount = 2_000;
const pageSize = 4_096;

function fill(database: Database, books = bookCount): void {
  database.write(() => {
    for (let n = 0; n < 20; n++) database.run('INSERT INTO shelf VALUES (?, ?)', `shelf ${n}`, n + 1);
    for (let n = 0; n < books; n++) {
      const title = `${n} ${createHash('sha256').update(String(n)).digest('hex').repeat(3)}`;
      database.run('INSERT INTO book (title, shelf) VALUES (?, ?)', title, `shelf ${n % 20}`);
    }
  });
}

function count(database: Database, table: string): number {
  return database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
}

describe('F95 a broken database', () => {
  let folder: DatabaseFolder;
  let intact: Buffer;
  let small: Buffer;
  let roots: readonly number[];
  const opened: Database[] = [];

  before(() => {
    const library = new DatabaseFolder();
    const database = openDatabase({ path: library.file(), migrations, now: () => nowMs });
    fill(database);
    roots = database
      .all<{ rootpage: number }>('SELECT rootpage FROM sqlite_schema')
      .map(({ rootpage }) => rootpage);
    database.close();
    intact = readFileSync(library.file());
    const few = openDatabase({ path: library.file('few.db'), migrations, now: () => nowMs });
    fill(few, bookCount / 10);
    few.close();
    small = readFileSync(library.file('few.db'));
    library.remove();
  });

  beforeEach(() => {
    folder = new DatabaseFolder();
  });

  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    folder.remove();
  });

  function open(scripts: readonly string[] = migrations, now = nowMs): Database {
    const database = openDatabase({ path: folder.file(), migrations: scripts, now: () => now });
    opened.push(database);
    return database;
  }

  /** Opens a broken file. It must be set aside unchanged and replaced by an intact database. */
  function openBroken(bytes: Buffer, now?: number): Database {
    writeFileSync(folder.file(), bytes);
    const database = open(migrations, now);
    assert.ok(database.setAside !== undefined, 'nothing was set aside');
    assert.deepEqual(readFileSync(database.setAside), bytes);
    assert.equal(database.get<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check, 'ok');
    assert.deepEqual(database.all('PRAGMA foreign_key_check'), []);
    database.writeDurably(() => database.run(`INSERT INTO shelf VALUES ('new', 1)`));
    const again = open();
    assert.equal(again.setAside, undefined);
    again.close();
    return database;
  }

  const otherFiles: Readonly<Record<string, Buffer>> = {
    'of 0 bytes': Buffer.alloc(0),
    'of 1 byte': Buffer.from('S'),
    'of NUL bytes': Buffer.alloc(40_960),
    'of noise': createNoise(40_960, 'noise'),
    'that is text': Buffer.from('Dear diary,\n'.repeat(1000)),
    'that is JSON with a byte order mark': Buffer.from('\uFEFF{"tasks":[]}'),
    'with a valid header only': Buffer.concat([
      Buffer.from('SQLite format 3\0'),
      createNoise(40_944, 'head'),
    ]),
  };

  for (const [kind, bytes] of Object.entries(otherFiles)) {
    it(`in a file ${kind} is set aside and replaced by an empty one`, () => {
      const database = openBroken(bytes);
      assert.deepEqual([count(database, 'shelf'), count(database, 'book')], [1, 0]);
    });
  }

  it('is set aside under a name with the time, and never overwrites an earlier file', () => {
    const first = openBroken(Buffer.from('one'));
    first.close();
    const second = openBroken(Buffer.from('two'));
    assert.equal(first.setAside, folder.file('corrupt-20300102T030405.678Z-things.db'));
    assert.equal(second.setAside, folder.file('corrupt-20300102T030405.678Z-2-things.db'));
    assert.equal(readFileSync(first.setAside, 'utf8'), 'one');
  });

  it('is deleted after 30 days or beyond 3 files if every row was saved, otherwise after a year or beyond 10 files', () => {
    const start = ((roots[1] ?? 0) - 1) * pageSize;
    const index = Buffer.from(intact).fill(0, start, start + pageSize);
    const asides = () =>
      folder.listNames().filter((name) => name.startsWith('corrupt-') && name.endsWith('.db'));
    const dayMs = 24 * 3_600_000;
    const times = [40, 29, 5, 4, 3].map((days) => Date.now() - days * dayMs);
    for (const time of times) openBroken(index, time).close();
    const asideNames = asides();
    assert.ok(
      asideNames.every((name) => name.endsWith('Z-saved-things.db')),
      asideNames.join(),
    );
    assert.equal(asideNames.length, 3);
    const cut = intact.subarray(0, 100_000);
    for (const time of times) openBroken(cut, time).close();
    open().close();
    assert.equal(asides().length, 3 + times.length);
    for (const days of [366, 364, 50, 49, 48, 47]) openBroken(cut, Date.now() - days * dayMs).close();
    open().close();
    assert.equal(asides().length, 3 + 10);
    const old = new Date(Date.now() - 366 * dayMs).toISOString().slice(0, 10).replaceAll('-', '');
    assert.ok(!asides().some((name) => name.startsWith(`corrupt-${old}`)));
  });

  it('is set aside together with its -wal and -shm files', () => {
    writeFileSync(folder.file('things.db-wal'), 'the log');
    writeFileSync(folder.file('things.db-shm'), 'the index');
    const { setAside } = openBroken(Buffer.alloc(0));
    assert.equal(readFileSync(`${setAside}-wal`, 'utf8'), 'the log');
    assert.equal(readFileSync(`${setAside}-shm`, 'utf8'), 'the index');
  });

  it('without its main file has its WAL set aside, not replayed into the new database', () => {
    const writer = open();
    fill(writer);
    copyFileSync(folder.file('things.db-wal'), folder.file('other.db-wal'));
    const database = openDatabase({ path: folder.file('other.db'), migrations, now: () => nowMs });
    opened.push(database);
    assert.equal(count(database, 'book'), 0);
    assert.ok(existsSync(`${database.setAside}-wal`));
  });

  it('truncated at any point is restored with the rows that remain', () => {
    const stored: number[] = [];
    for (let part = 1; part < 20; part++) {
      const cut = Math.floor((intact.length * part) / 20);
      const database = openBroken(intact.subarray(0, cut), nowMs + part);
      stored.push(count(database, 'book'));
      database.close();
    }
    assert.ok(stored.every((books, index) => books >= (stored[index - 1] ?? 0)));
    assert.ok(
      (stored[10] ?? 0) > bookCount / 4 && (stored.at(-1) ?? 0) > (bookCount * 9) / 10,
      stored.join(),
    );
  }).timeout(30_000);

  it('truncated by a single byte loses at most the rows of the last page', () => {
    assert.ok(count(openBroken(intact.subarray(0, -1)), 'book') > bookCount - 100);
  });

  it('with noise in one page loses only the rows of that page', () => {
    for (let page = 2; page < intact.length / pageSize; page += 11) {
      // Without its root page, the rest of a table cannot be found.
      if (roots.includes(page + 1)) continue;
      const bytes = Buffer.from(intact);
      createNoise(pageSize, String(page)).copy(bytes, page * pageSize);
      writeFileSync(folder.file(), bytes);
      // Some damage is only noticed by the daily check.
      const database = open(migrations, nowMs + 2 * 86_400_000 + page);
      assert.ok(count(database, 'book') > bookCount - 100, `page ${page}`);
      assert.deepEqual(database.all('PRAGMA foreign_key_check'), []);
      database.close();
    }
  }).timeout(30_000);

  it('with one wrong bit in its header is repaired without losing a row', () => {
    // Every bit is tried in fields where a wrong bit changes the version or the format of the file.
    const fields = [18, 19, 20, 44, 45, 46, 47, 60, 61, 62, 63];
    for (let bit = 0; bit < 800; bit++) {
      const byte = bit >> 3;
      // Version 3 instead of 2 belongs to a later program.
      if (byte === 63 && bit % 8 === 0) continue;
      if (!longRuns && !fields.includes(byte) && byte % 8 !== bit % 8) continue;
      const bytes = Buffer.from(small);
      bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (bit % 8));
      writeFileSync(folder.file(), bytes);
      const database = open(migrations, nowMs + bit);
      assert.deepEqual(
        [count(database, 'book'), database.readOnly],
        [bookCount / 10, undefined],
        `bit ${bit}`,
      );
      database.writeDurably(() => database.run(`INSERT INTO shelf VALUES ('new', 1)`));
      database.close();
      const again = open();
      assert.deepEqual([again.setAside, again.readOnly, count(again, 'shelf')], [undefined, undefined, 21]);
      again.close();
    }
  }).timeout(60_000);

  it('F96 of a later version is not mistaken for one with a wrong bit', () => {
    writeFileSync(folder.file(), small);
    const raw = new DatabaseSync(folder.file());
    raw.exec('PRAGMA user_version = 99');
    raw.close();
    assert.deepEqual([open().readOnly, open().setAside], ['newer', undefined]);
  });

  it('is restored without the rows that violate the constraints of its tables', () => {
    const raw = new DatabaseSync(folder.file(), { enableForeignKeyConstraints: false });
    for (const script of migrations) raw.exec(script);
    raw.exec(`PRAGMA user_version = 2; PRAGMA ignore_check_constraints = ON;
      INSERT INTO shelf VALUES ('good', 1), ('bad', -1);
      INSERT INTO book (title, shelf) VALUES ('on a good shelf', 'good'), ('on a bad shelf', 'bad'), ('lost', 'none');
      CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(100000))`);
    raw.close();
    truncateSync(folder.file(), readFileSync(folder.file()).length - pageSize);
    const database = open();
    assert.ok(database.setAside !== undefined);
    assert.deepEqual(
      database.all<{ title: string }>('SELECT title FROM book').map(({ title }) => title),
      ['on a good shelf'],
    );
  });

  it('of an older version is restored and migrated', () => {
    const old = open(migrations.slice(0, 1));
    fill(old);
    old.close();
    truncateSync(folder.file(), readFileSync(folder.file()).length - pageSize);
    const database = open();
    assert.ok(database.setAside !== undefined);
    assert.ok(count(database, 'book') > bookCount / 2);
    assert.equal(database.get<{ pages: number }>('SELECT pages FROM book LIMIT 1')?.pages, 1);
  });

  it('of a later version is set aside, and no rows are read from it', () => {
    const later = open([...migrations, 'ALTER TABLE book ADD COLUMN colour TEXT']);
    fill(later);
    later.close();
    truncateSync(folder.file(), readFileSync(folder.file()).length - pageSize);
    const database = open();
    assert.ok(database.setAside !== undefined);
    assert.deepEqual([count(database, 'book'), database.readOnly], [0, undefined]);
  });

  it('is replaced for connections that had it open, so that their next write goes into the new file', () => {
    const writer = open();
    fill(writer);
    overwrite(folder.file(), Buffer.alloc(8192));
    overwrite(folder.file('things.db-wal'), Buffer.alloc(8192));
    const database = open();
    assert.ok(database.setAside !== undefined);
    writer.writeDurably(() => writer.run(`INSERT INTO shelf VALUES ('kept', 1)`));
    assert.deepEqual(database.all(`SELECT name FROM shelf WHERE name = 'kept'`).length, 1);
  });

  it('F91 does not lose its restored rows when a process dies between the renames of a rebuild', () => {
    for (const moved of [['things.db'], ['things.db', 'things.db-wal', 'things.db-shm']]) {
      for (const name of folder.listNames()) rmSync(folder.file(name));
      openBroken(intact.subarray(0, -1)).close();
      const setAside = folder.listNames().find((name) => name.startsWith('corrupt-')) ?? assert.fail();
      renameSync(folder.file(), folder.file('things.db.new'));
      for (const suffix of ['-wal', '-shm']) {
        const isMoved = moved.includes(`things.db${suffix}`);
        writeFileSync(
          folder.file(isMoved ? `${setAside}${suffix}` : `things.db${suffix}`),
          createNoise(8_192, suffix),
        );
      }
      const database = open();
      assert.equal(database.setAside, folder.file(setAside));
      assert.ok(count(database, 'book') > bookCount - 100);
      database.close();
      assert.ok(!folder.listNames().includes('things.db.new'));
    }
  });

  it('F91 is rebuilt although a process that died during a rebuild left its temporary files', () => {
    writeFileSync(folder.file('things.db.new'), intact.subarray(0, 5000));
    writeFileSync(folder.file('things.db.new-wal'), 'half a log');
    const database = openBroken(intact.subarray(0, 70_000));
    assert.ok(count(database, 'shelf') > 1);
    assert.ok(!existsSync(folder.file('things.db.new')));
  });
});
