import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ReplyHeaders, retryAfterMs } from '../../../src/wire/retryHint.ts';

const now = new Date('2026-11-20T10:00:00Z');
const wait = (headers: ReplyHeaders, bodyDelayMs?: number) => retryAfterMs(headers, bodyDelayMs, now);

describe('F30 how long a gateway asks to wait', () => {
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
    it(`Retry-After: ${retryAfter}`, () => assert.equal(wait({ 'retry-after': retryAfter }), ms));
  }

  it('is the longest that was told', () => {
    assert.equal(wait({ 'retry-after': ['3', '7'] }), 7000);
    assert.equal(wait({ 'retry-after': '3', 'retry-after-ms': '0' }), 3000);
    assert.equal(wait({ 'retry-after-ms': '1500' }), 1500);
    assert.equal(wait({ 'retry-after': '3' }, 22_000), 22_000);
    assert.equal(wait({}), undefined);
  });

  it('can always be given to a timer', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seconds, ms) => {
        const told = wait({ 'retry-after': seconds, 'retry-after-ms': ms });
        assert.ok(told === undefined || (told >= 0 && told < 2 ** 31));
      }),
    );
  });
});
