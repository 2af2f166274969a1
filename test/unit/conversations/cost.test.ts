import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  computeReplyCost,
  type ReplyPrice,
  sumChatCost,
} from '../../../src/conversations/conversation/cost.ts';
import type { RestoredMessage } from '../../../src/conversations/conversation/messages.ts';
import type { ReplyResult } from '../../../src/conversations/conversation/turn.ts';
import { calculateTokenCost } from '../../../src/wire/apis/models/tokenCost.ts';
import type { TokenPrice } from '../../../src/wire/apis/models/tokenPrice.ts';

const result: ReplyResult = {
  outcome: { kind: 'complete' },
  requestId: 'r',
  requestedAt: new Date(0),
  totalMs: 1,
};

function createReply(change: Partial<ReplyResult>, editOf?: string): RestoredMessage {
  const request = { model: 'm', format: 'chatCompletions', parameters: {} } as const;
  const edited = editOf === undefined ? {} : { editOf };
  return {
    id: 'a',
    parent: undefined,
    content: { settings: request, replies: [], result: { ...result, ...change }, ...edited },
  };
}

describe('the cost of a chat', () => {
  it('is the sum of the known costs, with the number of unknown ones', () => {
    const charged = createReply({ cost: { usd: 0.5, source: 'gateway' } });
    assert.deepEqual(sumChatCost([charged, createReply({})]), {
      usd: 0.5,
      pricedCount: 1,
      unpricedCount: 1,
      isCharged: true,
      isLowerBound: false,
    });
    const stopped = createReply({ outcome: { kind: 'cancelled' }, cost: { usd: 1, source: 'user-price' } });
    assert.deepEqual(sumChatCost([charged, stopped]), {
      usd: 1.5,
      pricedCount: 2,
      unpricedCount: 0,
      isCharged: false,
      isLowerBound: true,
    });
  });

  it('excludes messages that the user wrote', () => {
    const question: RestoredMessage = { id: 'q', parent: undefined, content: { text: 'Q', images: [] } };
    assert.equal(sumChatCost([question, createReply({}, 'other')]).unpricedCount, 0);
  });
});

const price: TokenPrice = {
  input: 3e-6,
  output: 15e-6,
  cachedInput: 0.3e-6,
  cacheWrite: 3.75e-6,
  tiers: [{ above: 200_000, input: 6e-6, output: 22.5e-6 }],
};

function closeTo(actual: number | undefined, expected: number): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);
}

const count = fc.nat(2_000_000);
const rate = fc.double({ min: 0, max: 0.01, noNaN: true });
const counts = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    reasoningTokens: count,
    cachedTokens: count,
    cacheWriteTokens: count,
  },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
);
const rates = fc.record(
  { input: rate, output: rate, cachedInput: rate, cacheWrite: rate, reasoning: rate },
  { requiredKeys: ['input', 'output', 'cacheWrite'] },
);

describe('the cost of a reply', () => {
  it('includes input and output', () => {
    closeTo(calculateTokenCost({ inputTokens: 1000, outputTokens: 100 }, price), 0.003 + 0.0015);
  });

  it('includes cached and reasoning tokens once', () => {
    const usage = { inputTokens: 1000, cachedTokens: 600, cacheWriteTokens: 300, outputTokens: 0 };
    closeTo(calculateTokenCost(usage, price), 100 * 3e-6 + 600 * 0.3e-6 + 300 * 3.75e-6);
    const reasoned = { inputTokens: 0, outputTokens: 100, reasoningTokens: 80 };
    closeTo(calculateTokenCost(reasoned, price), 100 * 15e-6);
    closeTo(calculateTokenCost(reasoned, { ...price, reasoning: 30e-6 }), 20 * 15e-6 + 80 * 30e-6);
  });

  it('uses the tier for the size of the prompt, with missing rates from the tier below', () => {
    closeTo(calculateTokenCost({ inputTokens: 200_000, outputTokens: 1 }, price), 0.6 + 15e-6);
    const usage = { inputTokens: 200_001, cachedTokens: 200_001, outputTokens: 1 };
    closeTo(calculateTokenCost(usage, price), 200_001 * 0.3e-6 + 22.5e-6);
  });

  it('is unknown without a required count or rate', () => {
    assert.equal(calculateTokenCost({ inputTokens: 5 }, price), undefined);
    assert.equal(calculateTokenCost({ outputTokens: 5 }, price), undefined);
    assert.equal(calculateTokenCost({ inputTokens: 5, outputTokens: 5 }, { input: 1e-6 }), undefined);
    assert.equal(computeReplyCost({}, { tokens: price, source: 'user-price' }), undefined);
    assert.equal(computeReplyCost({ usage: { inputTokens: 5, outputTokens: 5 } }, undefined), undefined);
  });

  it('uses the rates of the service tier, and is unknown if they are missing', () => {
    const services = {
      flex: { input: 1.5e-6, output: 7.5e-6, cachedInput: 0.15e-6 },
      priority: { input: 6e-6, output: 30e-6, tiers: [{ above: 200_000, input: 12e-6, output: 45e-6 }] },
    };
    const own: ReplyPrice = { tokens: { ...price, reasoning: 20e-6, services }, source: 'listed-price' };
    const usd = (serviceTier: string | undefined, usage: object) =>
      computeReplyCost({ ...(serviceTier && { serviceTier }), usage: { outputTokens: 100, ...usage } }, own)
        ?.usd;
    const plain = { inputTokens: 1000 };
    for (const standard of [undefined, 'default', 'standard', 'auto']) closeTo(usd(standard, plain), 0.0045);
    closeTo(usd('flex', plain), 0.0015 + 0.00075);
    closeTo(usd('flex', { ...plain, cachedTokens: 1000 }), 0.00015 + 0.00075);
    closeTo(usd('priority', plain), 0.006 + 0.003);
    closeTo(usd('priority', { inputTokens: 200_001 }), 200_001 * 12e-6 + 0.0045);
    assert.equal(
      usd('priority', { ...plain, cachedTokens: 1 }),
      undefined,
      'the price of cached input is unknown',
    );
    assert.equal(usd('flex', { ...plain, cacheWriteTokens: 1 }), undefined);
    assert.equal(usd('flex', { ...plain, reasoningTokens: 1 }), undefined);
    assert.equal(usd('flex', { inputTokens: 200_001 }), undefined, 'the price of long prompts is unknown');
    for (const other of ['batch', 'scale', 'ultrafast']) assert.equal(usd(other, plain), undefined, other);
    const charged = { costUsd: 0.5, serviceTier: 'scale' };
    assert.deepEqual(computeReplyCost(charged, own), { usd: 0.5, source: 'gateway' });
  });

  it('is unknown if anything was used without a known rate', () => {
    const usage = { inputTokens: 1000, outputTokens: 100 };
    const plain = { input: 3e-6, output: 15e-6 };
    closeTo(calculateTokenCost({ ...usage, cachedTokens: 500 }, plain), 0.0045);
    assert.equal(
      calculateTokenCost({ ...usage, cacheWriteTokens: 1 }, plain),
      undefined,
      'writing costs more',
    );
    assert.equal(calculateTokenCost({ ...usage, otherUnits: 1 }, price), undefined, 'a search');
    const hour = { ...usage, cacheWriteTokens: 300, cacheHourTokens: 200 };
    assert.equal(calculateTokenCost(hour, price), undefined, 'an hour costs more than five minutes');
    closeTo(
      calculateTokenCost(hour, { ...price, cacheHour: 6e-6 }),
      700 * 3e-6 + 100 * 3.75e-6 + 200 * 6e-6 + 0.0015,
    );
    assert.equal(computeReplyCost({ costUsd: 1, usage: hour }, undefined)?.usd, 1);
  });

  it('is the charge that the gateway reports, before any price', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const own: ReplyPrice = { tokens: price, source: 'user-price' };
    assert.deepEqual(computeReplyCost({ costUsd: 0.5, usage }, own), { usd: 0.5, source: 'gateway' });
    assert.deepEqual(computeReplyCost({ costUsd: 0 }, own), { usd: 0, source: 'gateway' });
    const listed: ReplyPrice = { tokens: { input: 1e-6, output: 0 }, perRequest: 2, source: 'listed-price' };
    assert.deepEqual(computeReplyCost({ usage }, listed), { usd: 3, source: 'listed-price' });
  });

  it('is never negative, and more tokens never cost less', () => {
    fc.assert(
      fc.property(counts, rates, count, (usage, some, more) => {
        const usd = calculateTokenCost(usage, some) ?? Number.NaN;
        assert.ok(usd >= 0);
        const written =
          calculateTokenCost({ ...usage, outputTokens: usage.outputTokens + more }, some) ?? Number.NaN;
        const inputCost =
          calculateTokenCost({ ...usage, inputTokens: usage.inputTokens + more }, some) ?? Number.NaN;
        // Two roundings may differ in the last digit.
        assert.ok(written >= usd * (1 - 1e-9) && inputCost >= usd * (1 - 1e-9));
      }),
    );
  });

  it('is never more than the highest rate for every token', () => {
    fc.assert(
      fc.property(counts, rates, (usage, some) => {
        const dearest = Math.max(...Object.values(some));
        const most = (usage.inputTokens + usage.outputTokens) * dearest;
        assert.ok((calculateTokenCost(usage, some) ?? Number.NaN) <= most * (1 + 1e-9));
      }),
    );
  });
});
