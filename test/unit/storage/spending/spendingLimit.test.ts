import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  appliesTo,
  findLimitRefusal,
  findPeriod,
  type LimitUse,
  limitKey,
  type SpendingLimit,
  toBillionths,
  toValidTokens,
} from '../../../../src/storage/spending/spendingLimit.ts';

const limit: SpendingLimit = { name: 'a', per: 'day', allowed: 100, currency: 'USD' };

function use(used: number, reserved = 0, changed: Partial<SpendingLimit> = {}): LimitUse {
  const changedLimit = { ...limit, ...changed };
  return {
    limit: changedLimit,
    used,
    failed: 0,
    reserved,
    allowed: changedLimit.allowed,
    unpriced: 0,
    resetsAt: 0,
  };
}

function costs(least: number | undefined, most: number | undefined, currency = 'USD', tokens = 10) {
  const spent = (amount: number | undefined) =>
    amount === undefined ? { tokens } : { amount, currency, tokens };
  return { gateway: 'g', initiator: 'chats', least: spent(least), most: spent(most) };
}

describe('a spending limit', () => {
  it('allows a request whose minimum cost is within the rest, also if its maximum cost is not', () => {
    assert.equal(findLimitRefusal(use(99), costs(1, 500)), undefined);
    assert.equal(findLimitRefusal(use(99), costs(2, 500)), 'too-large');
    assert.equal(findLimitRefusal(use(100), costs(1, 1)), 'reached');
    assert.equal(findLimitRefusal(use(250), costs(1, 1)), 'reached');
  });

  it('counts the maximum next to requests in progress', () => {
    assert.equal(findLimitRefusal(use(10, 40), costs(1, 50)), undefined);
    assert.equal(findLimitRefusal(use(10, 40), costs(1, 51)), 'reserved');
  });

  it('does not refuse free requests', () => {
    assert.equal(findLimitRefusal(use(500, 500), costs(0, 0)), undefined);
  });

  it('refuses requests without a price, or with a price in another currency, unless the user allows them', () => {
    for (const unknown of [costs(undefined, undefined), costs(1, 1, 'EUR')]) {
      assert.equal(findLimitRefusal(use(0), unknown), 'unpriced');
      assert.equal(findLimitRefusal(use(0, 0, { allowsUnpriced: true }), unknown), undefined);
      assert.equal(findLimitRefusal(use(100, 0, { allowsUnpriced: true }), unknown), 'reached');
    }
  });

  it('of tokens does not need a price', () => {
    const { currency: _, ...ofTokens } = limit;
    const tokens = { ...use(95), limit: ofTokens };
    assert.equal(findLimitRefusal(tokens, costs(undefined, undefined, 'USD', 5)), undefined);
    assert.equal(findLimitRefusal(tokens, costs(undefined, undefined, 'USD', 6)), 'too-large');
  });

  it('concerns the requests of its gateway and its initiator', () => {
    const request = { gateway: 'g', initiator: 'agents' };
    assert.ok(appliesTo(limit, request));
    assert.ok(appliesTo({ ...limit, gateway: 'g', initiator: 'agents' }, request));
    assert.ok(!appliesTo({ ...limit, gateway: 'other' }, request));
    assert.ok(!appliesTo({ ...limit, initiator: 'chats' }, request));
  });

  it('has the same key after its name changed, and another one for another amount or scope', () => {
    assert.equal(limitKey({ ...limit, name: 'b' }), limitKey(limit));
    assert.notEqual(limitKey({ ...limit, allowed: 5 }), limitKey(limit));
    assert.notEqual(limitKey({ ...limit, gateway: 'g' }), limitKey({ ...limit, initiator: 'g' }));
  });

  it('has periods that begin at local midnight, also at the end of a month and in a leap year', () => {
    const at = (year: number, month: number, day: number) => new Date(year, month - 1, day, 23, 59).getTime();
    assert.deepEqual(findPeriod('day', at(2028, 2, 28)), {
      from: '2028-02-28',
      resetsAt: new Date(2028, 1, 29).getTime(),
    });
    assert.deepEqual(findPeriod('month', at(2028, 2, 1)), {
      from: '2028-02-01',
      resetsAt: new Date(2028, 2, 1).getTime(),
    });
    assert.equal(findPeriod('month', at(2028, 12, 31)).resetsAt, new Date(2029, 0, 1).getTime());
  });
});

describe('amounts of spending limits', () => {
  it('are never negative, broken or rounded to 0', () => {
    for (const bad of [Number.NaN, -1, -1e-12, Number.POSITIVE_INFINITY, undefined]) {
      assert.equal(toBillionths(bad), undefined);
      assert.equal(toValidTokens(bad), undefined);
    }
    assert.equal(toBillionths(0), 0);
    assert.equal(toBillionths(1e-15), 1);
    assert.equal(toBillionths(0.3), 3 * (toBillionths(0.1) ?? 0));
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (money) => {
        const amount = toBillionths(money) ?? -1;
        assert.ok(Number.isSafeInteger(amount) && (money === 0 ? amount === 0 : amount > 0));
      }),
    );
  });
});
