import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/database.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { Ledger } from '../../../src/tasks/ledger.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { gateway, openLedgerDatabase } from '../../support/ledgers.ts';
import { noise, overwrite, pageSize } from '../../support/pageDamage.ts';

const taskCount = 40;

describe('F95 a damaged ledger of an older version', () => {
  let folder: DatabaseFolder;

  beforeEach(() => {
    folder = new DatabaseFolder();
  });
  afterEach(() => folder.remove());

  /** @returns the pages, from 0, that hold the tasks themselves, and not their indexes */
  function writeOld(version: number): readonly number[] {
    const old = openDatabase({ path: folder.file(), migrations: ledgerMigrations.slice(0, version) });
    for (let n = 0; n < taskCount; n++) {
      old.run(
        `INSERT INTO tasks (key, gateway, profile, route, model, prompt, stage, word, taskId, intendedAt)
         VALUES (?, ?, 'work', 'videoSynthesis', 'film-1', ?, ?, 'WORD', ?, ?)`,
        ...[
          `key-${n}`,
          gateway,
          'a cat on a wall '.repeat(30),
          n % 2 === 0 ? 'running' : 'gone',
          `task-${n}`,
          n,
        ],
      );
    }
    old.all('PRAGMA wal_checkpoint(TRUNCATE)');
    const pages = old.all<{ pageno: number }>(
      "SELECT pageno FROM dbstat WHERE name = 'tasks' AND pagetype = 'leaf'",
    );
    old.close();
    return pages.map(({ pageno }) => pageno - 1);
  }

  for (let version = 1; version <= ledgerMigrations.length; version++) {
    it(`version ${version}, whole, opens with every task`, () => {
      writeOld(version);
      const ledger = new Ledger(openLedgerDatabase(folder.file()), { window: 'w' });
      const words = Map.groupBy(ledger.list(), ({ status, rawStatus }) => `${status} ${rawStatus}`);
      assert.deepEqual(
        new Map([...words].map(([word, tasks]) => [word, tasks.length])),
        new Map([
          ['running WORD', taskCount / 2],
          ['missing WORD', taskCount / 2],
        ]),
      );
      ledger.close();
    });

    it(`version ${version}, whose tasks are damaged, opens with every id that its indexes hold`, () => {
      const [page = 0] = writeOld(version);
      const bytes = Buffer.from(readFileSync(folder.file()));
      noise(pageSize, String(page)).copy(bytes, page * pageSize);
      overwrite(folder.file(), bytes);
      const database = openLedgerDatabase(folder.file());
      assert.ok(database.setAside);
      const ledger = new Ledger(database, { window: 'w' });
      assert.deepEqual(
        new Set(ledger.list().map(({ taskId }) => taskId)),
        new Set(Array.from({ length: taskCount }, (_, n) => `task-${n}`)),
      );
      ledger.close();
    });
  }
});
