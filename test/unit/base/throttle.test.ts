import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Throttle } from '../../../src/base/throttle.ts';

describe('a throttle', () => {
  let runs = 0;
  let delayMs: number;
  let throttle: Throttle;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    runs = 0;
    delayMs = 10;
    throttle = new Throttle(
      () => runs++,
      () => delayMs,
    );
  });

  afterEach(() => mock.timers.reset());

  it('runs once for a burst, after the delay that is set at the first call', () => {
    throttle.schedule();
    delayMs = 100;
    mock.timers.tick(9);
    throttle.schedule();
    assert.equal(runs, 0);
    mock.timers.tick(1);
    assert.equal(runs, 1);
    throttle.schedule();
    mock.timers.tick(99);
    assert.equal(runs, 1);
    mock.timers.tick(1);
    assert.equal(runs, 2);
  });

  it('runs at once when flushed, and not again for the same calls', () => {
    throttle.schedule();
    throttle.flush();
    assert.equal(runs, 1);
    mock.timers.tick(1000);
    assert.equal(runs, 1);
  });

  it('does not run after it is disposed', () => {
    throttle.schedule();
    throttle.dispose();
    throttle.schedule();
    throttle.flush();
    mock.timers.tick(1000);
    assert.equal(runs, 0);
  });
});
