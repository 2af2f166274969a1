import assert from 'node:assert/strict';
import type { TimelineEntry } from '../../../src/protocol/taskPage.ts';
import { dayOf, duration, stepsOf, timeOfDay, when } from '../../../src/webview/words/times.ts';

const noon = new Date(2026, 10, 20, 12, 0, 5).getTime();
const second = 1000;
const hour = 3600 * second;

describe('durations', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0 s'],
    [440, '0.4 s'],
    [9_960, '10 s'],
    [12_900, '12 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_599_999, '59 min 59 s'],
    [3_600_000, '1 h'],
    [3 * hour + 120_999, '3 h 2 min'],
    [50 * hour, '2 d 2 h'],
  ];

  for (const [ms, words] of cases) {
    it(`${ms} ms are ${words}`, () => assert.equal(duration(ms), words));
  }
});

describe('times', () => {
  it('tell the time of the reader’s own clock', () => {
    assert.equal(timeOfDay(noon), '12:00:05');
    assert.equal(dayOf(noon), '2026-11-20');
  });

  it('tell the day unless it is today', () => {
    assert.equal(when(noon, noon + hour), '12:00:05');
    assert.equal(when(noon, noon + 24 * hour), '2026-11-20 12:00:05');
  });
});

describe('the steps of a timeline', () => {
  const entry = (at: number): TimelineEntry => ({ at, label: 'queued', appearance: 'running' });

  it('keep their order and tell how long each lasted', () => {
    const entries = [entry(noon), entry(noon + second), entry(noon + 18 * second)];
    assert.deepEqual(stepsOf(entries, noon), [
      { entry: entries[0], time: '12:00:05', lasted: '1 s' },
      { entry: entries[1], time: '12:00:06', lasted: '17 s' },
      { entry: entries[2], time: '12:00:23' },
    ]);
  });

  it('name the day where it is another one, and only there', () => {
    const yesterday = noon - 24 * hour;
    const entries = [entry(yesterday), entry(yesterday + second), entry(noon)];
    assert.deepEqual(
      stepsOf(entries, noon).map(({ day }) => day),
      ['2026-11-19', undefined, '2026-11-20'],
    );
  });

  it('F82 have no duration where the clock went backwards, and stay in the order they were seen in', () => {
    const entries = [entry(noon), entry(noon - 60 * second), entry(noon)];
    assert.deepEqual(
      stepsOf(entries, noon).map(({ time, lasted }) => [time, lasted]),
      [
        ['12:00:05', undefined],
        ['11:59:05', '1 min'],
        ['12:00:05', undefined],
      ],
    );
  });
});
