import type { WrongPatch } from './wrongPatch.ts';

/** Writes that survive a crash. */
export const storagePatches: readonly WrongPatch[] = [
  {
    promise: 'P12',
    title: 'does not flush a durable write to the disk',
    file: 'src/storage/sharedDatabase.ts',
    find: "connection.exec('PRAGMA synchronous = FULL');",
    replace: '',
    tests: ['test/unit/storage/database.test.ts'],
    grep: 'with a flush to the disk in writeDurably only',
  },
  {
    promise: 'P12',
    title: 'sends a paid request before its record is on the disk',
    file: 'src/tasks/ledger/ledger.ts',
    find: 'if (isDurable) await this.flush();',
    replace: '',
    tests: ['test/unit/tasks/otherWindowsWrite.test.ts'],
    grep: 'is flushed to disk before the request is sent',
  },
  {
    promise: 'P12',
    title: 'reports writes as stored without a flush of the log',
    file: 'src/storage/writeAheadLog.ts',
    find: 'await log.sync();',
    replace: '',
    tests: ['test/unit/storage/database.test.ts'],
    grep: 'flushes its log',
  },
  {
    promise: 'P12',
    title: 'replaces a damaged database by an empty one',
    file: 'src/storage/rebuildDatabase.ts',
    find: 'const salvaged = isEmptyFile(path) ? undefined : salvage(path, connection, migrations, plan);',
    replace: 'const salvaged: Salvaged | undefined = undefined;',
    tests: ['test/unit/storage/database.test.ts'],
    grep: 'so that an index with swapped pages is found at once',
  },
  {
    promise: 'P12',
    title: 'does not undo the first half of a write that failed',
    file: 'src/storage/sharedDatabase.ts',
    find: "if (connection.isTransaction) connection.exec('ROLLBACK');",
    replace: "if (connection.isTransaction) connection.exec('COMMIT');",
    tests: ['test/unit/storage/database.test.ts'],
    grep: 'or none if the callback throws',
  },
];
