import assert from 'node:assert/strict';
import { asStorageError, StorageError } from '../../../src/storage/sqlite/storageError.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('said in some words'), { code: 'ERR_SQLITE_ERROR', errcode });
}

function fileError(code: string): Error {
  return Object.assign(new Error('said in some words'), { code, syscall: 'open' });
}

describe('a storage error', () => {
  for (const [name, errcode, kind] of [
    ['F92 SQLITE_FULL', 13, 'full'],
    ['F93 SQLITE_READONLY', 8, 'read-only'],
    ['F93 SQLITE_READONLY_DIRECTORY', 1544, 'read-only'],
    ['F93 SQLITE_CANTOPEN', 14, 'read-only'],
    ['F95 SQLITE_CORRUPT', 11, 'damaged'],
    ['F95 SQLITE_CORRUPT_INDEX', 779, 'damaged'],
    ['F95 SQLITE_NOTADB', 26, 'damaged'],
    ['F97 SQLITE_BUSY', 5, 'busy'],
    ['F97 SQLITE_BUSY_SNAPSHOT', 517, 'busy'],
    ['F99 SQLITE_IOERR_FSYNC', 1034, 'io'],
    ['F95 SQLITE_IOERR_SHORT_READ', 522, 'damaged'],
    ['F93 SQLITE_CANTOPEN_FULLPATH', 782, 'read-only'],
    ['SQLITE_CONSTRAINT_UNIQUE', 2067, 'other'],
  ] as const) {
    it(`${name} has the kind ${kind}`, () => {
      const cause = sqliteError(errcode);
      const error = asStorageError(cause);
      assert.ok(error instanceof StorageError);
      assert.deepEqual([error.kind, error.cause], [kind, cause]);
    });
  }

  for (const [code, kind] of [
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EROFS', 'read-only'],
    ['EACCES', 'read-only'],
    ['EBUSY', 'busy'],
    ['EIO', 'io'],
    ['ENOTSUP', 'other'],
  ] as const) {
    it(`${code} has the kind ${kind}`, () => {
      const error = asStorageError(fileError(code));
      assert.ok(error instanceof StorageError);
      assert.equal(error.kind, kind);
    });
  }

  it('is not made of any other error, which is returned unchanged', () => {
    const errors = [new TypeError('a mistake'), new StorageError('full', 'known'), 'no error at all'];
    assert.deepEqual(errors.map(asStorageError), errors);
  });
});
