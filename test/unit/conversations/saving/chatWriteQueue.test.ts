import assert from 'node:assert/strict';
import { ChatWriteQueue } from '../../../../src/conversations/saving/chatWriteQueue.ts';
import { StorageError } from '../../../../src/storage/sqlite/storageError.ts';
import { TestClock } from '../../../support/testClock.ts';

const second = 1_000;

/** A queue whose storage is full until the test frees space. */
function fullStorage() {
  const clock = new TestClock();
  const start = clock.monotonic();
  const attempts: number[] = [];
  let isFull = true;
  const problems: (string | undefined)[] = [];
  const queue = new ChatWriteQueue({
    clock,
    onProblem: (problem) => problems.push(problem?.kind),
    onError: (error) => assert.fail(String(error)),
  });
  const write = () => {
    attempts.push((clock.monotonic() - start) / second);
    if (isFull) throw new StorageError('full', 'The disk is full.');
  };
  const free = () => {
    isFull = false;
  };
  return { clock, queue, write, free, attempts, problems };
}

describe('writes of a chat that storage refuses', () => {
  it('are retried with growing pauses of at most 30 s, and once more as soon as there is space', async () => {
    const { clock, queue, write, free, attempts, problems } = fullStorage();
    await queue.add(write);
    await clock.advance(122 * second);
    assert.deepEqual(attempts, [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5, 121.5]);
    assert.deepEqual(problems, ['full']);
    free();
    await clock.advance(30 * second);
    await queue.drain();
    assert.equal(attempts.at(-1), 151.5);
    assert.deepEqual(problems, ['full', undefined]);
  });

  it('are retried with short pauses again after a success', async () => {
    const { clock, queue, write, free, attempts } = fullStorage();
    await queue.add(write);
    await clock.advance(4 * second);
    free();
    queue.retryNow();
    await queue.drain();
    assert.deepEqual(attempts, [0, 0.5, 1.5, 3.5, 4]);
    let isRefused = true;
    const times: number[] = [];
    await queue.add(() => {
      times.push(clock.monotonic());
      if (isRefused) throw new StorageError('full', 'The disk is full.');
    });
    isRefused = false;
    await clock.advance(500);
    assert.deepEqual(
      times.map((time) => time - (times[0] ?? 0)),
      [0, 500],
    );
  });
});
