import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ReplyHeaders } from '../../../src/base/replyHeaders.ts';
import { findLimitResetMs, readRetryAfterMs } from '../../../src/wire/failures/retryHint.ts';

const now = new Date('2026-11-20T10:00:00Z');
const wait = (headers: ReplyHeaders, bodyDelayMs?: number) => readRetryAfterMs(headers, bodyDelayMs, now);

describe('F30 the retry delay of a gateway', () => {
  const rows: readonly (readonly [retryAfter: string, ms: number | undefined])[] = [
    ['3', 3000],
    ['3.7', 3700],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:00:20 GMT', 20_000],
    ['Fri, 20 Nov 2020 10:00:20 GMT', 0],
    ['-1', undefined],
    ['abc', undefined],
    ['', undefined],
    ['1000000000', 2 ** 31 - 1],
    ['Fri, 20 Nov 2099 10:00:20 GMT', 2 ** 31 - 1],
  ];
  for (const [retryAfter, ms] of rows) {
    it(`is read from Retry-After: ${retryAfter}`, () =>
      assert.equal(wait({ 'retry-after': retryAfter }), ms));
  }

  it('is the longest reported delay', () => {
    assert.equal(wait({ 'retry-after': ['3', '7'] }), 7000);
    assert.equal(wait({ 'retry-after': '3', 'retry-after-ms': '0' }), 3000);
    assert.equal(wait({ 'retry-after-ms': '1500' }), 1500);
    assert.equal(wait({ 'retry-after': '3' }, 22_000), 22_000);
    assert.equal(wait({}), undefined);
  });

  it('is always valid for a timer', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seconds, ms) => {
        const waitMs = wait({ 'retry-after': seconds, 'retry-after-ms': ms });
        assert.ok(waitMs === undefined || (waitMs >= 0 && waitMs < 2 ** 31));
      }),
    );
  });
});

describe('F30 the reset time of a used-up limit', () => {
  const openai = (reset: string) => ({
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': reset,
  });
  const anthropic = (reset: string) => ({
    'anthropic-ratelimit-tokens-remaining': '0',
    'anthropic-ratelimit-tokens-reset': reset,
  });
  const rows: readonly (readonly [source: string, headers: ReplyHeaders, ms: number | undefined])[] = [
    ['12ms', openai('12ms'), 12],
    ['1s', openai('1s'), 1000],
    ['6m0s', openai('6m0s'), 360_000],
    ['1h2m3s', openai('1h2m3s'), 3_723_000],
    ['1.5s', openai('1.5s'), 1500],
    ['a date', anthropic('2026-11-20T10:00:20Z'), 20_000],
    ['a date in the past', anthropic('2020-11-20T10:00:20Z'), 0],
    ['an invalid time', openai('soon'), undefined],
    ['seconds without a unit', openai('12'), 12_000],
    ['a time in the far future', openai('999999999h'), 2 ** 31 - 1],
    ['a limit with some left', { ...openai('6m0s'), 'x-ratelimit-remaining-requests': '3' }, undefined],
    ['two limits', { ...openai('1s'), ...anthropic('2026-11-20T10:00:20Z') }, 20_000],
    ['a reply without headers of limits', {}, undefined],
  ];
  for (const [source, headers, ms] of rows) {
    it(`is ${ms === undefined ? 'unknown' : `${ms} ms`} for ${source}`, () =>
      assert.equal(findLimitResetMs(headers, now), ms));
  }

  it('is read from each draft of the IETF RateLimit header', () => {
    const rows: readonly (readonly [header: string | readonly string[], ms: number | undefined])[] = [
      ['"default";r=0;t=30', 30_000],
      ['"burst";r=5;t=3, "daily";r=0;t=50', 50_000],
      [['"burst";r=0;t=3', '"daily";r=0;t=50'], 50_000],
      ['"daily";t=40;pk=:cHJvag==:;r=0', 40_000],
      ['"daily";r=0', 86_400_000],
      ['"other";r=0', undefined],
      ['"default";r=1;t=30', undefined],
      ['limit=100, remaining=0, reset=20', 20_000],
      ['limit=100, remaining=3, reset=20', undefined],
      ['"default";r=0;t=x', undefined],
    ];
    for (const [ratelimit, ms] of rows) {
      const headers = { ratelimit, 'ratelimit-policy': '"burst";q=5;w=3, "daily";q=100;w=86400' };
      assert.equal(findLimitResetMs(headers, now), ms, String(ratelimit));
    }
  });
});
