import assert from 'node:assert/strict';
import { retryAfterRepair, retryWhileBusy } from '../../../src/storage/retryWhileBusy.ts';
import { StorageError, type StorageErrorKind } from '../../../src/storage/sqlite/storageError.ts';
import { TestClock } from '../../support/testClock.ts';

/** Fails this number of times, then returns the number of attempts. */
function failing(times: number, kind: StorageErrorKind): () => Promise<number> {
  let attempts = 0;
  return async () => {
    attempts++;
    if (attempts <= times) throw new StorageError(kind, `attempt ${attempts}`);
    return attempts;
  };
}

describe('F97 a write to a database that another connection has locked', () => {
  let clock: TestClock;

  beforeEach(() => {
    clock = new TestClock();
  });

  it('is repeated every 5 ms until it succeeds', async () => {
    const written = retryWhileBusy(failing(3, 'busy'), clock);
    await clock.advance(15);
    assert.equal(await written, 4);
  });

  it('fails after 5 s', async () => {
    const written = retryWhileBusy(failing(1_000, 'busy'), clock, 1_000);
    const rejected = assert.rejects(written, { kind: 'busy', message: 'attempt 6' });
    await clock.advance(10_000);
    await rejected;
    assert.equal(clock.timers, 0);
  });

  it('fails at once for another reason', async () => {
    await assert.rejects(retryWhileBusy(failing(1, 'full'), clock), { kind: 'full' });
    await assert.rejects(
      retryWhileBusy(() => {
        throw new TypeError('It broke.');
      }, clock),
      TypeError,
    );
  });
});

describe('F95 work that finds damage', () => {
  it('is repeated once, after the repair', async () => {
    assert.equal(await retryAfterRepair(failing(1, 'damaged')), 2);
    await assert.rejects(retryAfterRepair(failing(2, 'damaged')), { message: 'attempt 2' });
  });

  it('is not repeated for another reason', async () => {
    await assert.rejects(retryAfterRepair(failing(1, 'busy')), { kind: 'busy' });
    let attempts = 0;
    const broken = retryAfterRepair(async () => {
      attempts++;
      throw Object.assign(new Error('of another library'), { kind: 'damaged' });
    });
    await assert.rejects(broken, { message: 'of another library' });
    assert.equal(attempts, 1);
  });
});
