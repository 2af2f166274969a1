import assert from 'node:assert/strict';
import { ModelRules } from '../../../src/host/models/modelRules.ts';

describe('the setting of models', () => {
  it('takes each field from the first matching entry that has it', () => {
    const rules = new ModelRules([
      { models: 'gpt-5-mini', use: 'embedding', facts: { contextLength: 1000, tools: 0, pictures: 'yes' } },
      { models: 'GPT-*', use: 'chat', format: 'responses', facts: { contextLength: 2000, tools: 64 } },
      { models: 'gpt-*', offered: false, thinkTags: 'closing', prices: { perRequest: 1 } },
      { models: '*', format: 'messages', offered: true, prices: { input: 1, output: 2 } },
    ]);
    assert.equal(rules.use('gpt-5-mini'), 'embedding');
    assert.equal(rules.use('gpt-5'), 'chat');
    assert.equal(rules.use('claude'), undefined);
    assert.equal(rules.format('gpt-5-mini'), 'responses');
    assert.equal(rules.format('claude'), 'messages');
    assert.equal(rules.offered('gpt-5'), false);
    assert.equal(rules.offered('claude'), true);
    assert.deepEqual(rules.facts('gpt-5-mini'), { contextLength: 1000, tools: 64 });
    assert.deepEqual(rules.facts('claude'), {});
    assert.equal(rules.thinkTags('gpt-5'), 'closing');
    assert.equal(rules.thinkTags('claude'), 'paired');
    assert.deepEqual(rules.videoPrice('gpt-5'), { perRequest: 1, currency: 'USD' });
    assert.deepEqual(rules.tokenPrice('gpt-5'), { input: 1e-6, output: 2e-6 });
    assert.equal(rules.videoPrice('claude'), undefined);
  });

  it('skips invalid entries and invalid fields', () => {
    for (const wrong of [
      undefined,
      null,
      'x',
      {},
      [null],
      ['x'],
      [[]],
      [{ format: 'messages', use: 'chat' }],
    ])
      assert.equal(new ModelRules(wrong).format('m'), undefined);
    const rules = new ModelRules([
      { models: 7, format: 'messages' },
      { models: '*', format: 'chat', use: 'talk', offered: 1, facts: [], prices: 'free' },
      { models: '*', facts: { maxOutput: -1, family: '' }, prices: { perSecond: -1 } },
      {
        models: '*',
        format: 'messages',
        use: 'chat',
        offered: true,
        prices: { perSecond: 2, currency: 'eur' },
      },
    ]);
    assert.equal(rules.format('m'), 'messages');
    assert.equal(rules.use('m'), 'chat');
    assert.equal(rules.offered('m'), true);
    assert.deepEqual(rules.facts('m'), {});
    assert.deepEqual(rules.videoPrice('m'), { perSecond: 2, currency: 'EUR' });
  });

  const getPrice = (prices: object) => new ModelRules([{ models: '*', prices }]).tokenPrice('m');

  it('has no token price without both input and output', () => {
    const price = { input: 1, output: 2 };
    const ofOneToken = { input: 0.000001, output: 0.000002 };
    for (const change of [{ input: '1' }, { output: -1 }, { input: undefined }, ofOneToken, { input: 5e4 }])
      assert.equal(getPrice({ ...price, ...change }), undefined);
    assert.deepEqual(getPrice({ input: 0, output: 0.001 }), { input: 0, output: 1e-9 });
    assert.deepEqual(getPrice({ ...price, cachedInput: 'x' }), { input: 1e-6, output: 2e-6 });
  });

  it('uses the input price for cached input of another service tier', () => {
    const flex = { input: 1, output: 5, cacheWrite: 2 };
    const price = { input: 3, output: 15, cachedInput: 0.3 };
    assert.deepEqual(getPrice({ ...price, flex })?.services, {
      flex: { input: 1e-6, output: 5e-6, cachedInput: 1e-6, cacheWrite: 2e-6 },
    });
    for (const batch of [7, null, [], {}, { input: 1 }, { input: -1, output: 1 }])
      assert.equal(getPrice({ ...price, batch })?.services, undefined);
  });
});
