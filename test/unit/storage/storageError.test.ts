import assert from 'node:assert/strict';
import {
  isBusy,
  isRetryable,
  StorageError,
  toStorageError,
  withStorageErrors,
} from '../../../src/storage/sqlite/storageError.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('some text'), { code: 'ERR_SQLITE_ERROR', errcode });
}

function fileError(code: string): Error {
  return Object.assign(new Error('some text'), { code, syscall: 'open' });
}

describe('a storage error', () => {
  for (const [name, errcode, kind] of [
    ['F92 for SQLITE_FULL', 13, 'full'],
    ['F93 for SQLITE_READONLY', 8, 'read-only'],
    ['F93 for SQLITE_READONLY_DIRECTORY', 1544, 'read-only'],
    ['F93 for SQLITE_CANTOPEN', 14, 'read-only'],
    ['F95 for SQLITE_CORRUPT', 11, 'damaged'],
    ['F95 for SQLITE_CORRUPT_INDEX', 779, 'damaged'],
    ['F95 for SQLITE_NOTADB', 26, 'damaged'],
    ['F97 for SQLITE_BUSY', 5, 'busy'],
    ['F97 for SQLITE_BUSY_SNAPSHOT', 517, 'busy'],
    ['F99 for SQLITE_IOERR_FSYNC', 1034, 'io'],
    ['F95 for SQLITE_IOERR_SHORT_READ', 522, 'damaged'],
    ['F93 for SQLITE_CANTOPEN_FULLPATH', 782, 'read-only'],
    ['F93 for SQLITE_PERM', 3, 'read-only'],
    ['F97 for SQLITE_LOCKED', 6, 'busy'],
    ['F97 for SQLITE_PROTOCOL', 15, 'busy'],
    ['for SQLITE_NOMEM', 7, 'busy'],
    ['for SQLITE_INTERRUPT', 9, 'busy'],
    ['for SQLITE_CONSTRAINT_UNIQUE', 2067, 'other'],
  ] as const) {
    it(`${name} has the kind ${kind}`, () => {
      const cause = sqliteError(errcode);
      const error = toStorageError(cause);
      assert.ok(error instanceof StorageError);
      assert.deepEqual([error.kind, error.cause], [kind, cause]);
    });
  }

  for (const [code, kind] of [
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EROFS', 'read-only'],
    ['EACCES', 'read-only'],
    ['EPERM', 'read-only'],
    ['ENOENT', 'read-only'],
    ['ENOTDIR', 'read-only'],
    ['EEXIST', 'read-only'],
    ['EBUSY', 'busy'],
    ['EAGAIN', 'busy'],
    ['EMFILE', 'busy'],
    ['ENFILE', 'busy'],
    ['EIO', 'io'],
    ['ESTALE', 'io'],
    ['ETIMEDOUT', 'io'],
    ['ENOTSUP', 'other'],
  ] as const) {
    it(`for ${code} has the kind ${kind}`, () => {
      const cause = fileError(code);
      const error = toStorageError(cause);
      assert.ok(error instanceof StorageError);
      assert.deepEqual([error.kind, error.cause], [kind, cause]);
    });
  }

  it('is not created for any other error, which is returned unchanged', () => {
    const errors = [
      new TypeError('a mistake'),
      new StorageError('full', 'known'),
      'no error at all',
      undefined,
      { code: 'EIO', syscall: 'read' },
      Object.assign(new Error('without a call of the system'), { code: 'ENOENT' }),
      Object.assign(new Error('with a number'), { code: 5, syscall: 'read' }),
      Object.assign(new Error('without a number'), { code: 'ERR_SQLITE_ERROR', errcode: '13' }),
      Object.assign(new Error('of another library'), { code: 'ERR_OTHER', errcode: 13 }),
    ];
    for (const error of errors) assert.equal(toStorageError(error), error);
  });

  it('contains why the database can only be read, and its cause', () => {
    const cause = new Error('the cause');
    const error = new StorageError('read-only', 'The disk is full.', { readOnly: 'full', cause });
    assert.deepEqual([error.name, error.readOnly, error.cause], ['StorageError', 'full', cause]);
  });

  it('can be retried unless the database rejects the write', () => {
    const kinds = ['full', 'read-only', 'busy', 'damaged', 'io', 'other'] as const;
    assert.deepEqual(
      kinds.filter((kind) => isRetryable(new StorageError(kind, ''))),
      kinds.slice(0, -1),
    );
    assert.equal(isRetryable(new Error('full')), false);
  });

  it('F97 means that another connection holds a lock if its kind is busy', () => {
    const busy = [sqliteError(5), fileError('EBUSY'), new StorageError('busy', '')];
    const others = [sqliteError(13), fileError('EIO'), new StorageError('io', ''), new Error('busy'), 'busy'];
    assert.deepEqual([...busy, ...others].map(isBusy), [...busy.map(() => true), ...others.map(() => false)]);
  });

  it('is thrown in place of the error of an action; the result of a successful action is returned', () => {
    assert.equal(
      withStorageErrors(() => 'result'),
      'result',
    );
    const cause = sqliteError(13);
    const act = () => {
      throw cause;
    };
    assert.throws(() => withStorageErrors(act), { name: 'StorageError', kind: 'full', cause });
  });
});
