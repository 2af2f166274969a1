import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { mock } from 'node:test';
import { Watch } from '../../../src/client/watch.ts';

const budgets = { connect: 10_000, firstByte: 60_000, idle: 90_000, noData: 300_000, total: 0 };

describe('the budgets of a reply that is being read', () => {
  const { now } = performance;
  let wall = 0;
  let monotonic = 0;
  let expired: string[];
  let watch: Watch;

  beforeEach(() => {
    wall = 1_000_000;
    monotonic = 1_000;
    expired = [];
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(Date, 'now', () => wall);
    performance.now = () => monotonic;
    watch = new Watch(budgets, monotonic, (budget) => expired.push(budget));
    watch.sent();
    watch.answered();
    watch.bytes();
  });

  afterEach(() => {
    watch.stop();
    performance.now = now;
    mock.timers.reset();
    mock.restoreAll();
  });

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      wall += 1_000;
      monotonic += 1_000;
      mock.timers.tick(1_000);
      await new Promise(setImmediate);
    }
  }

  it('end after the silence they allow', async () => {
    await pass(89_000);
    assert.deepEqual(expired, []);
    await pass(2_000);
    assert.deepEqual(expired, ['idle']);
  });

  it('F81 end soon after the machine has slept, not 90 s later', async () => {
    wall += 8 * 3_600_000;
    await pass(11_000);
    assert.deepEqual(expired, ['idle']);
  });

  it('F82 go on when the clock was only put forward, and the reply too', async () => {
    wall += 365 * 24 * 3_600_000;
    await pass(6_000);
    watch.bytes();
    watch.data();
    await pass(60_000);
    assert.deepEqual(expired, []);
  });

  it('F82 go on when the clock was put back', async () => {
    wall -= 365 * 24 * 3_600_000;
    await pass(60_000);
    assert.deepEqual(expired, []);
  });
});
