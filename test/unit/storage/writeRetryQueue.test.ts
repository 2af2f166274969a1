import assert from 'node:assert/strict';
import { StorageError } from '../../../src/storage/database.ts';
import { WriteRetryQueue } from '../../../src/storage/writeRetryQueue.ts';
import { TestClock } from '../../support/testClock.ts';

describe('F92 writes that are retried until they succeed', () => {
  let clock: TestClock;
  let queue: WriteRetryQueue;
  let written: string[];
  let isFull: boolean;

  beforeEach(() => {
    clock = new TestClock();
    queue = new WriteRetryQueue({
      clock,
      windowEnd: undefined,
      storage: { change: async (act) => act(), flush: async () => {} },
    });
    written = [];
    isFull = false;
  });

  function write(value: string): void {
    queue.write(() => {
      if (isFull) throw new StorageError('full', 'The disk is full.');
      if (value === 'rejected') throw new StorageError('other', 'A value does not fit.');
      if (value === 'broken') throw new TypeError('It broke.');
      written.push(value);
    });
  }

  it('continue after a write fails for another reason', () => {
    assert.throws(() => write('broken'), TypeError);
    write('later');
    assert.deepEqual(written, ['later']);
  });

  it('continue after a write fails for another reason when it is retried', async () => {
    isFull = true;
    for (const value of ['first', 'broken', 'second']) write(value);
    const { delayedResult } = queue;
    isFull = false;
    await clock.advance(1000);
    assert.equal(await delayedResult, false);
    assert.deepEqual(written, ['first', 'second']);
    write('third');
    assert.deepEqual(written, ['first', 'second', 'third']);
  });

  it('drop a write that the database rejects, report that, and continue', async () => {
    write('first');
    write('rejected');
    const { delayedResult } = queue;
    write('second');
    await clock.advance(1000);
    assert.equal(await delayedResult, false);
    assert.deepEqual(written, ['first', 'second']);
    await queue.waitForAttempt();
    assert.equal(queue.delayedResult, undefined);
  });

  it('run once each when a write adds another write', () => {
    queue.write(() => {
      written.push('outer');
      write('inner');
    });
    assert.deepEqual(written, ['outer', 'inner']);
  });

  it('are retried together, so that a later write does not overtake an earlier one', async () => {
    isFull = true;
    write('first');
    await clock.advance(250);
    isFull = false;
    write('second');
    assert.deepEqual(written, []);
    await clock.advance(500);
    assert.deepEqual(written, ['first', 'second']);
  });

  it('report their success, but not that of writes that were dropped before', async () => {
    for (const [value, succeeds] of [
      ['rejected', false],
      ['first', true],
    ] as const) {
      isFull = true;
      write(value);
      const { delayedResult } = queue;
      isFull = false;
      await clock.advance(250);
      assert.equal(await delayedResult, succeeds);
      assert.equal(queue.delayedResult, undefined);
    }
  });

  describe('to a storage that fails', () => {
    let attempts: number[];
    let flushed: PromiseWithResolvers<void>;
    let nextFailure: () => StorageError | undefined;
    let windowEnd: AbortController;

    beforeEach(() => {
      attempts = [];
      flushed = Promise.withResolvers();
      nextFailure = () => undefined;
      windowEnd = new AbortController();
      queue = new WriteRetryQueue({
        clock,
        windowEnd: windowEnd.signal,
        storage: {
          change: async (act) => {
            attempts.push(clock.monotonic());
            const failure = nextFailure();
            if (failure) throw failure;
            act();
          },
          flush: () => flushed.promise,
        },
      });
    });

    /** The pauses between attempts, in seconds. */
    function pauses(): readonly number[] {
      return attempts.slice(1).map((at, nth) => (at - (attempts[nth] ?? 0)) / 1_000);
    }

    it('are retried after pauses that grow to half a minute, for an hour', async () => {
      nextFailure = () => new StorageError('busy', 'Another window writes.');
      void queue.waitForAttempt();
      await clock.advance(1_000);
      const { delayedResult } = queue;
      await clock.advance(2 * 3_600_000);
      assert.deepEqual(pauses().slice(0, 9), [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30]);
      assert.equal(pauses().length, 7 + Math.ceil((3_600 - 31.75) / 30));
      assert.equal(await delayedResult, false);
    });

    it('are done together with the next write if storage works again after more than an hour', async () => {
      isFull = true;
      nextFailure = () => new StorageError('full', 'The disk is full.');
      write('first');
      await clock.advance(2 * 3_600_000);
      isFull = false;
      write('second');
      assert.deepEqual(written, ['first', 'second']);
    });

    it('end after one more attempt when the window ends', async () => {
      nextFailure = () => new StorageError('full', 'The disk is full.');
      isFull = true;
      write('first');
      const { delayedResult } = queue;
      await clock.advance(0);
      windowEnd.abort();
      assert.equal(await delayedResult, false);
      assert.deepEqual([attempts.length, clock.timers], [1, 0]);
    });

    for (const kind of ['busy', 'damaged'] as const) {
      it(`are repeated at once after ${kind}, without a report`, async () => {
        let tries = 0;
        queue.write(() => {
          tries++;
          if (tries === 1) throw new StorageError(kind, 'It ends soon.');
        });
        assert.equal(queue.delayedResult, undefined);
        flushed.resolve();
        await queue.waitForAttempt();
        assert.deepEqual([tries, clock.timers, queue.delayedResult], [2, 0, undefined]);
      });
    }

    it('are waited for until they are durable', async () => {
      let isOver = false;
      const attempt = queue.waitForAttempt().then(() => {
        isOver = true;
      });
      await clock.advance(0);
      assert.equal(isOver, false);
      flushed.resolve();
      await attempt;
    });

    it('are waited for only until the storage fails temporarily', async () => {
      flushed.reject(new StorageError('io', 'The disk reports an error.'));
      await queue.waitForAttempt();
      const { delayedResult } = queue;
      flushed = Promise.withResolvers();
      flushed.resolve();
      await clock.advance(250);
      assert.equal(await delayedResult, true);
    });

    it('lose only the first write if the storage rejects it before it runs', async () => {
      flushed.resolve();
      const failures = [new StorageError('other', 'A value does not fit.')];
      nextFailure = () => failures.shift();
      isFull = true;
      for (const value of ['first', 'second']) write(value);
      const { delayedResult } = queue;
      isFull = false;
      await clock.advance(250);
      assert.equal(await delayedResult, false);
      assert.deepEqual(written, ['second']);
    });
  });
});
