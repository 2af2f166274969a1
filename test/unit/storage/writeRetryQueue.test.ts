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
      ...{ clock, windowEnd: undefined },
      storage: { change: async (act) => act(), flush: async () => {} },
    });
    written = [];
    isFull = false;
  });

  function write(what: string): void {
    queue.write(() => {
      if (isFull) throw new StorageError('full', 'The disk is full.');
      if (what === 'rejected') throw new StorageError('other', 'A value does not fit.');
      if (what === 'broken') throw new TypeError('It broke.');
      written.push(what);
    });
  }

  it('continue after a write fails for another reason', () => {
    assert.throws(() => write('broken'), TypeError);
    write('later');
    assert.deepEqual(written, ['later']);
  });

  it('continue after a write fails for another reason when it is retried', async () => {
    isFull = true;
    for (const what of ['first', 'broken', 'second']) write(what);
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
});
