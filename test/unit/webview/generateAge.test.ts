import assert from 'node:assert/strict';
import { absoluteTime, ageOf } from '../../../src/webview/generate/age.ts';

describe('the age of a task', () => {
  const now = Date.UTC(2026, 10, 20, 14, 0, 0);
  const minute = 60_000;
  const cases: readonly (readonly [number, string])[] = [
    [0, 'just now'],
    [59_999, 'just now'],
    [minute, '1 minute ago'],
    [59.9 * minute, '59 minutes ago'],
    [60 * minute, '1 hour ago'],
    [24 * 60 * minute, 'yesterday'],
    [6 * 24 * 60 * minute, '6 days ago'],
  ];

  for (const [age, words] of cases) {
    it(`of ${age} ms is ${words}`, () => assert.equal(ageOf(now - age, now), words));
  }

  it('is the day after a week', () => assert.match(ageOf(now - 8 * 24 * 60 * minute, now), /2026/));

  it('F82 is nothing strange when the clock was set back', () => {
    assert.equal(ageOf(now + 3 * 60 * minute, now), 'just now');
  });

  it('is not told of a time that cannot be', () => {
    for (const at of [Number.NaN, 1e300, Infinity]) {
      assert.equal(ageOf(at, now), '');
      assert.equal(absoluteTime(at), '');
    }
  });
});
