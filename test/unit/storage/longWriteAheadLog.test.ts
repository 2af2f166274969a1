import assert from 'node:assert/strict';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../src/storage/database.ts';
import { LongWriteAheadLog } from '../../../src/storage/upkeep/databaseUpkeep.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';

describe('the log of a non-blocking database', () => {
  it('does not report that the worker ends with the window', async () => {
    const folder = new DatabaseFolder();
    writeFileSync(folder.file('things.db-wal'), '');
    truncateSync(folder.file('things.db-wal'), 8 * 1024 * 1024);
    const { promise, reject } = Promise.withResolvers<never>();
    const log = new LongWriteAheadLog({ path: folder.file() } as Database, {
      emptyLog: () => promise,
      onNotice: () => assert.fail(),
      onError: (error) => assert.fail(String(error)),
    });
    const emptied = log.emptyIfLong();
    log.dispose();
    reject(new Error('The window is closing.'));
    await emptied;
    folder.remove();
  });

  it('reports the error if its size cannot be read, and does not reject', async () => {
    const folder = new DatabaseFolder();
    try {
      // A link to itself cannot be followed.
      symlinkSync('things.db-wal', folder.file('things.db-wal'));
      const errors: unknown[] = [];
      const log = new LongWriteAheadLog({ path: folder.file() } as Database, {
        emptyLog: async () => assert.fail('it is not known to be long'),
        onNotice: () => assert.fail(),
        onError: (error) => errors.push(error),
      });
      await log.emptyIfLong();
      assert.equal((errors[0] as NodeJS.ErrnoException).code, 'ELOOP');
    } finally {
      folder.remove();
    }
  });
});
