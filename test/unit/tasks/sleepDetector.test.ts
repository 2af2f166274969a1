import assert from 'node:assert/strict';
import { SleepDetector } from '../../../src/tasks/taskWatcher.ts';
import { TestClock } from '../../support/testClock.ts';

const tickMs = 5_000;
const hour = 3_600_000;

describe('the sleep detector', () => {
  let clock: TestClock;
  let detector: SleepDetector;

  beforeEach(() => {
    clock = new TestClock();
    detector = new SleepDetector(clock, tickMs);
  });

  async function nextTick(): Promise<boolean> {
    await clock.advance(tickMs);
    return detector.tick();
  }

  it('F80 detects sleep by the gap between two ticks, whether or not the monotonic clock stopped', async () => {
    for (const monotonic of ['goes on', 'stops'] as const) {
      assert.equal(await nextTick(), false);
      await clock.sleep(8 * hour, monotonic);
      assert.equal(await nextTick(), true);
      assert.equal(await nextTick(), false);
    }
  });

  it('F82 does not detect sleep when the wall clock is changed', async () => {
    for (const jump of [hour, -hour, 365 * 24 * hour]) {
      clock.jump(jump);
      assert.equal(await nextTick(), false);
    }
  });
});
