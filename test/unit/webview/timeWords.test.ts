import assert from 'node:assert/strict';
import type { TimelineEntry } from '../../../src/protocol/taskPage.ts';
import { createSteps } from '../../../src/webview/tasks/taskTimeline.ts';
import {
  formatAge,
  formatDay,
  formatDuration,
  formatLongDateTime,
  formatShortDateTime,
  formatSpokenDuration,
  formatTimeOfDay,
} from '../../../src/webview/words/timeWords.ts';

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
    it(`of ${ms} ms are shown as ${words}`, () => assert.equal(formatDuration(ms), words));
  }
});

describe('spoken durations', () => {
  for (const [seconds, words] of [
    [1, '1 second'],
    [45, '45 seconds'],
    [60, '1 minute'],
    [185, '3 minutes'],
  ] as const) {
    it(`of ${seconds} s are ${words}`, () => assert.equal(formatSpokenDuration(seconds), words));
  }
});

describe('times', () => {
  it('are shown in the local time zone', () => {
    assert.equal(formatTimeOfDay(noon), '12:00:05');
    assert.equal(formatDay(noon), '2026-11-20');
  });

  it('start the day at 00, and are empty for an invalid date', () => {
    assert.equal(formatTimeOfDay(new Date(2026, 0, 2, 0, 3, 4).getTime()), '00:03:04');
    assert.equal(formatDay(new Date(2026, 0, 2).getTime()), '2026-01-02');
    assert.equal(formatShortDateTime(1e300, noon).trim(), '');
  });

  it('include the date unless it is today', () => {
    assert.equal(formatShortDateTime(noon, noon + hour), '12:00:05');
    assert.equal(formatShortDateTime(noon, noon + 24 * hour), '2026-11-20 12:00:05');
  });
});

describe('the steps of a timeline', () => {
  const entry = (at: number): TimelineEntry => ({ at, label: 'queued', appearance: 'running' });

  it('keep their order and show their durations', () => {
    const entries = [entry(noon), entry(noon + second), entry(noon + 18 * second)];
    assert.deepEqual(createSteps(entries, noon), [
      { entry: entries[0], time: '12:00:05', duration: '1 s' },
      { entry: entries[1], time: '12:00:06', duration: '17 s' },
      { entry: entries[2], time: '12:00:23' },
    ]);
  });

  it('show the date only where it changes', () => {
    const yesterday = noon - 24 * hour;
    const entries = [entry(yesterday), entry(yesterday + second), entry(noon)];
    assert.deepEqual(
      createSteps(entries, noon).map(({ day }) => day),
      ['2026-11-19', undefined, '2026-11-20'],
    );
  });

  it('F82 have no duration if the clock was set back, and keep their order', () => {
    const entries = [entry(noon), entry(noon - 60 * second), entry(noon)];
    assert.deepEqual(
      createSteps(entries, noon).map(({ time, duration }) => [time, duration]),
      [
        ['12:00:05', undefined],
        ['11:59:05', '1 min'],
        ['12:00:05', undefined],
      ],
    );
  });
});

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
    it(`of ${age} ms is ${words}`, () => assert.equal(formatAge(now - age, now), words));
  }

  it('is the date after a week', () => assert.match(formatAge(now - 8 * 24 * 60 * minute, now), /2026/));

  it('F82 is “just now” if the clock was set back', () => {
    assert.equal(formatAge(now + 3 * 60 * minute, now), 'just now');
  });

  it('is empty for an invalid time', () => {
    for (const at of [Number.NaN, 1e300, Infinity]) {
      assert.equal(formatAge(at, now), '');
      assert.equal(formatLongDateTime(at), '');
    }
  });
});
