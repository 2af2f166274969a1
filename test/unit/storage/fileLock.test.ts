import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tryToLockFile, withFileLock } from '../../../src/storage/fileLock.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';

const busy = { errcode: 5 };

describe('F97 the lock of a file', () => {
  let folder: DatabaseFolder;

  beforeEach(() => {
    folder = new DatabaseFolder();
  });
  afterEach(() => folder.remove());

  it('is held while the action runs, and its result is returned', () => {
    const path = folder.file();
    const result = withFileLock(path, () => {
      assert.throws(() => withFileLock(path, () => 'inner', 0), busy);
      // A process that is killed now leaves no journal.
      assert.deepEqual(folder.listNames(), ['things.db.lock']);
      return 'outer';
    });
    assert.equal(result, 'outer');
    assert.equal(
      withFileLock(path, () => 'later', 0),
      'later',
    );
    assert.deepEqual(folder.listNames(), ['things.db.lock']);
  });

  it('is released when the action fails', () => {
    const act = () => {
      throw new TypeError('It broke.');
    };
    assert.throws(() => withFileLock(folder.file(), act), TypeError);
    assert.equal(
      withFileLock(folder.file(), () => 'later', 0),
      'later',
    );
  });

  it('cannot be taken again until it is released', () => {
    const lock = tryToLockFile(folder.file()) ?? assert.fail();
    assert.equal(tryToLockFile(folder.file()), undefined);
    lock.release();
    const again = tryToLockFile(folder.file()) ?? assert.fail();
    again.release();
  });

  it('is not taken in a file that is not a database', () => {
    writeFileSync(folder.file(), 'Dear diary,\n'.repeat(1_000));
    assert.throws(() => tryToLockFile(folder.file()), { errcode: 26 });
  });
});
