import assert from 'node:assert/strict';
import { pause } from '../../../src/base/node/clock.ts';
import { renameWithRetry } from '../../../src/storage/renameWithRetry.ts';
import { TestClock } from '../../support/testClock.ts';

describe('renaming a file', () => {
  for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
    it(`F94 is retried after ${code} until it succeeds`, async () => {
      const clock = new TestClock();
      const asked: string[] = [];
      const renamed = renameWithRetry(
        'a',
        'b',
        (ms) => pause(clock, ms),
        async (from, to) => {
          asked.push(`${from} ${to}`);
          if (asked.length < 4) throw Object.assign(new Error(code), { code });
        },
      );
      await clock.advance(20 + 40 + 80);
      await renamed;
      assert.deepEqual(asked, ['a b', 'a b', 'a b', 'a b']);
    });
  }

  it('F94 fails after 10 attempts, or after the first one if the error is permanent', async () => {
    for (const [code, times] of [
      ['EBUSY', 10],
      ['ENOSPC', 1],
    ] as const) {
      const clock = new TestClock();
      let asked = 0;
      const renamed = renameWithRetry(
        'a',
        'b',
        (ms) => pause(clock, ms),
        async () => {
          asked += 1;
          throw Object.assign(new Error(code), { code });
        },
      );
      const told = assert.rejects(renamed, { code });
      await clock.advance(10_000);
      await told;
      assert.equal(asked, times);
    }
  });
});
