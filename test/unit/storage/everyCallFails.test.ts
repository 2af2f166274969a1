import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { testEveryCall } from '../../support/everyCall.ts';
import { damages, pageSize } from '../../support/pageDamage.ts';

const migrations = [
  'CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE) STRICT',
  'ALTER TABLE book ADD COLUMN pages INTEGER NOT NULL DEFAULT 1',
];
const bookCount = 300;

const name = 'things.db';

function open(folder: string, scripts = migrations): Database {
  return openDatabase({ path: join(folder, name), migrations: scripts, plan: { counted: 'book' } });
}

function fill(database: Database): void {
  database.write(() => {
    for (let n = 0; n < bookCount; n++) {
      database.run('INSERT INTO book (title) VALUES (?)', `${n} ${'title '.repeat(20)}`);
    }
  });
}

function titles(database: Database): readonly string[] {
  return database.all<{ title: string }>('SELECT title FROM book ORDER BY id').map(({ title }) => title);
}

/** How a store is before it is opened: its files, and the titles that must be readable then. */
interface Store {
  readonly create: (folder: string) => void;
  readonly readable: () => number;
}

const stores: Readonly<Record<string, Store>> = {
  'of an earlier version': {
    create: (folder) => {
      const database = open(folder, migrations.slice(0, 1));
      fill(database);
      database.close();
    },
    readable: () => bookCount,
  },
  'of an earlier version with a log': {
    create: (folder) => {
      const library = mkdtempSync(join(tmpdir(), 'library-'));
      const database = open(library, migrations.slice(0, 1));
      fill(database);
      for (const end of ['', '-wal']) copyFileSync(join(library, name + end), join(folder, name + end));
      database.close();
      rmSync(library, { recursive: true });
    },
    readable: () => bookCount,
  },
  'with a damaged page': {
    create: (folder) => {
      createIntact(folder);
      const path = join(folder, name);
      const damage = damages['random bytes'] ?? assert.fail();
      writeFileSync(path, damage(readFileSync(path), 5));
    },
    // The damaged page is one of the table or of the index, from which the other is restored in part.
    readable: () => bookCount - 2 * Math.ceil(pageSize / 120),
  },
  'without its end': {
    create: (folder) => {
      createIntact(folder);
      const path = join(folder, name);
      truncateSync(path, readFileSync(path).length - pageSize / 2);
    },
    readable: () => bookCount - Math.ceil(pageSize / 120),
  },
};

function createIntact(folder: string): void {
  const database = open(folder);
  fill(database);
  database.close();
}

for (const [kind, { create, readable }] of Object.entries(stores)) {
  describe(`opening a store ${kind} while each call fails`, () => {
    let before: readonly string[] = [];
    let expectedRows: readonly string[] | undefined;

    function prepare(folder: string): void {
      create(folder);
      before = readdirSync(folder);
    }

    async function flow(folder: string): Promise<void> {
      const database = open(folder);
      try {
        const found = titles(database);
        if (database.readOnly !== undefined) return;
        database.writeDurably(() => database.run(`INSERT INTO book (title) VALUES ('new')`));
        assert.ok(found.length >= readable());
      } finally {
        database.close();
      }
    }

    function check(folder: string): void {
      const database = open(folder);
      try {
        assert.equal(database.readOnly, undefined);
        database.check();
        const found = titles(database).filter((title) => title !== 'new');
        expectedRows ??= found;
        assert.deepEqual(found, expectedRows);
        assert.ok(found.length >= readable(), `${found.length} rows can be read`);
        database.write(() => database.run(`INSERT INTO book (title, pages) VALUES ('next', 2)`));
      } finally {
        database.close();
      }
      const remaining = readdirSync(folder).filter((each) => !before.includes(each));
      const copies = remaining.filter((each) => /^(backup|corrupt)-/.test(each));
      assert.ok(copies.length > 0, 'the earlier file is lost');
      assert.deepEqual(
        remaining.filter((each) => /\.new|probe/.test(each)),
        [],
      );
      for (const copy of copies.filter((each) => each.startsWith('backup-')))
        assertIntact(join(folder, copy));
    }

    function assertIntact(path: string): void {
      if (/-(wal|shm)$/.test(path) || !existsSync(path)) return;
      const copy = new DatabaseSync(path, { readOnly: true });
      assert.equal(copy.prepare('SELECT count(*) AS n FROM book').get()?.n, bookCount);
      copy.close();
    }

    testEveryCall({ prepare, flow, check }, { atLeast: 200, always: /^openSync$/ });
  });
}
