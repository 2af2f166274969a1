import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ReadingPace } from '../../../../src/localGateway/tasks/taskReadings.ts';

describe('the polling rate for the tasks of an upstream', () => {
  it('is at most ten per second for each upstream', () => {
    const wait = fc.oneof(fc.constant(0), fc.nat(300));
    fc.assert(
      fc.property(fc.array(wait, { minLength: 50, maxLength: 200 }), (waits) => {
        let now = 0;
        const pace = new ReadingPace(() => now);
        const begun: number[] = [];
        for (const ms of waits) {
          now += ms;
          if (pace.begin('one') === undefined) begun.push(now);
          assert.ok(begun.filter((at) => at > now - 1_000).length <= 10);
        }
        assert.equal(pace.begin('two'), undefined);
        now += 1_000;
        assert.equal(pace.begin('one'), undefined, 'it does not wait longer');
      }),
    );
  });

  it('F77 is zero while the upstream requested a pause, and other upstreams are polled', () => {
    let now = 0;
    const pace = new ReadingPace(() => now);
    pace.pause('one', 5_000);
    assert.equal(pace.begin('one'), 'upstream_429');
    assert.equal(pace.begin('two'), undefined);
    now += 5_000;
    assert.equal(pace.begin('one'), undefined);
  });
});
