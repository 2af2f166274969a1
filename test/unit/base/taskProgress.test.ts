import assert from 'node:assert/strict';
import { computePercent, formatRoughDuration } from '../../../src/base/taskProgress.ts';

describe('the progress of a task', () => {
  it('is the percentage that the gateway reports, at any time', () => {
    assert.equal(computePercent({ kind: 'reported', percent: 40 }, 1e12), 40);
  });

  it('is estimated from the typical duration, and unknown once that is well exceeded', () => {
    const estimate = { kind: 'estimated', startedAt: 1000, typicalMs: 100 } as const;
    assert.deepEqual(
      [0, 1000, 1050, 1100, 1124, 1125, 9000].map((now) => computePercent(estimate, now)),
      [0, 0, 40, 80, 99.2, undefined, undefined],
    );
  });
});

describe('a rough duration', () => {
  it('has one unit, and is rounded to few digits', () => {
    for (const [ms, words] of [
      [200, '1 s'],
      [7_400, '7 s'],
      [43_000, '45 s'],
      [57_000, '55 s'],
      [58_000, '1 min'],
      [125_000, '2 min'],
      [59 * 60_000, '59 min'],
      [80 * 60_000, '1.5 h'],
    ] as const)
      assert.equal(formatRoughDuration(ms), words);
  });
});
