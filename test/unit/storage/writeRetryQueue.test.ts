import assert from 'node:assert/strict';
import { StorageError } from '../../../src/storage/database.ts';
import { WriteRetryQueue } from '../../../src/storage/writeRetryQueue.ts';
import { TestClock } from '../../support/testClock.ts';

describe('F92 writes that are repeated until they succeed', () => {
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

  it('go on after one that fails for another reason', () => {
    assert.throws(() => write('broken'), TypeError);
    write('later');
    assert.deepEqual(written, ['later']);
  });

  it('go on after one that fails for another reason when it is repeated', async () => {
    isFull = true;
    for (const what of ['first', 'broken', 'second']) write(what);
    const { delayed } = queue;
    isFull = false;
    await clock.advance(1000);
    assert.equal(await delayed, false);
    assert.deepEqual(written, ['first', 'second']);
    write('third');
    assert.deepEqual(written, ['first', 'second', 'third']);
  });

  it('drop one that the database rejects, say so, and go on', async () => {
    write('first');
    write('rejected');
    const { delayed } = queue;
    write('second');
    await clock.advance(1000);
    assert.equal(await delayed, false);
    assert.deepEqual(written, ['first', 'second']);
    await queue.tried();
    assert.equal(queue.delayed, undefined);
  });

  it('do not begin anew when one of them writes another', () => {
    queue.write(() => {
      written.push('outer');
      write('inner');
    });
    assert.deepEqual(written, ['outer', 'inner']);
  });
});
