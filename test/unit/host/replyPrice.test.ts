import assert from 'node:assert/strict';
import { computeReplyCost } from '../../../src/conversations/conversation/cost.ts';
import type { Gateway } from '../../../src/host/connection/gateways.ts';
import { costText } from '../../../src/host/models/modelFigures.ts';
import { ModelRules } from '../../../src/host/models/modelRules.ts';
import { replyPrice } from '../../../src/host/models/replyPrice.ts';

const models = [
  { id: 'a/listed', owner: 'a', tokenPrice: { input: 1e-6, output: 2e-6 }, price: { perRequest: 0.01 } },
  { id: 'a/auto', owner: 'a' },
];
const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;

describe('the price of a model in chats', () => {
  it('is the user’s price per million tokens, before the price that the gateway lists', () => {
    const rules = new ModelRules([{ models: 'a/*', prices: { input: 3, output: 15, cachedInput: 0 } }]);
    const tokens = { input: 3e-6, output: 15e-6, cachedInput: 0 };
    assert.deepEqual(replyPrice({ gateway, rules, models }, 'A/Listed', {}), {
      tokens,
      source: 'user-price',
    });
    assert.equal(replyPrice({ gateway, rules, models }, 'b/other', {}), undefined);
  });

  it('is the price that the gateway lists, also for the model that replied', () => {
    const listed = {
      tokens: { input: 1e-6, output: 2e-6 },
      perRequest: 0.01,
      source: 'listed-price',
    };
    assert.deepEqual(replyPrice({ gateway, rules: new ModelRules(), models }, 'a/listed', {}), listed);
    assert.deepEqual(
      replyPrice({ gateway, rules: new ModelRules(), models }, 'a/auto', { model: 'a/listed' }),
      listed,
    );
    assert.equal(replyPrice({ gateway, rules: new ModelRules(), models }, 'a/auto', {}), undefined);
  });

  it('has rates for cache writes of Claude models, at the public factors, and of no others', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 0,
      cachedTokens: 500_000,
      cacheWriteTokens: 300_000,
      cacheHourTokens: 100_000,
    };
    const listing = ['x/claude-9', 'x/other'].map((id) => ({
      id,
      owner: 'x',
      tokenPrice: {
        input: 2e-6,
        output: 1e-5,
        cachedInput: 2e-7,
        tiers: [{ above: 200_000, input: 4e-6, cachedInput: 4e-7 }],
      },
    }));
    const computeCost = (model: string, rules = new ModelRules(), reply = {}) =>
      computeReplyCost({ usage }, replyPrice({ gateway, rules, models: listing }, model, reply))?.usd;
    const [read, input, written, forAnHour] = [0.5 * 0.4, 0.2 * 4, 0.2 * 4 * 1.25, 0.1 * 4 * 2];
    assert.equal(computeCost('x/claude-9')?.toFixed(6), (read + input + written + forAnHour).toFixed(6));
    assert.equal(computeCost('x/other'), undefined, 'never zero');
    const own = new ModelRules([{ models: '*', prices: { input: 1, output: 1, cacheWrite: 3 } }]);
    assert.equal(
      computeCost('smart', own, { model: 'claude-9' })?.toFixed(6),
      (0.5 + 0.2 + 0.6 + 0.2).toFixed(6),
    );
    assert.equal(computeCost('smart', own), undefined);
  });

  it('is 0 for the demo, so that its usage is not listed without a price', () => {
    const usage = { inputTokens: 15, outputTokens: 214 };
    const costAt = (otherGateway: Gateway) =>
      computeReplyCost(
        { usage },
        replyPrice({ gateway: otherGateway, rules: new ModelRules(), models: [] }, 'demo/chat', {}),
      );
    const local = { kind: 'local', id: 'local', name: 'Local gateway' } as const;
    assert.deepEqual(costAt(local), { usd: 0, source: 'listed-price' });
    assert.equal(costAt(gateway), undefined, 'another gateway may have a model with this name');
  });

  it('is unknown for a question with pictures if the model has a price per picture', () => {
    const [listed] = models;
    assert.ok(listed);
    const listing = [{ ...listed, price: { perPicture: 0.001 } }];
    assert.equal(
      replyPrice({ gateway, rules: new ModelRules(), models: listing }, 'a/listed', {}, true),
      undefined,
    );
    assert.equal(
      replyPrice({ gateway, rules: new ModelRules(), models: listing }, 'a/listed', {})?.source,
      'listed-price',
    );
    assert.equal(
      replyPrice({ gateway, rules: new ModelRules(), models }, 'a/listed', {}, true)?.source,
      'listed-price',
    );
  });

  it('is the first price that has rates for the service tier of the request', () => {
    const services = { priority: { input: 2e-6, output: 4e-6 } };
    const tokenPrice = { input: 1e-6, output: 2e-6, services };
    const listing = [{ id: 'a/listed', owner: 'a', tokenPrice }];
    const prices = { input: 3, output: 15, flex: { input: 1, output: 5 } };
    const rules = new ModelRules([{ models: 'a/*', prices }]);
    const source = (serviceTier: string) =>
      replyPrice({ gateway, rules, models: listing }, 'a/listed', { serviceTier })?.source;
    for (const standard of ['default', 'Standard', 'auto', 'on_demand', 'ON_DEMAND']) {
      assert.equal(source(standard), 'user-price', standard);
    }
    assert.equal(source('flex'), 'user-price');
    assert.equal(source('priority'), 'listed-price');
    for (const other of [
      'batch',
      'scale',
      'ultrafast',
      'PROVISIONED_THROUGHPUT',
      '__proto__',
      'constructor',
    ]) {
      assert.equal(source(other), undefined, other);
    }
  });

  it('is never shown as 0 unless it is 0', () => {
    assert.equal(costText(0, 'en'), '$0');
    assert.equal(costText(0.0012, 'en'), '$0.0012');
    assert.equal(costText(1e-12, 'en'), '<$0.000001');
    assert.equal(costText(12.345, 'en'), '$12.35');
  });
});
