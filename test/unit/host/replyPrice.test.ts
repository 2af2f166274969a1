import assert from 'node:assert/strict';
import { replyPrice } from '../../../src/host/chat/asking/replyPrice.ts';
import { costText } from '../../../src/host/models/modelFigures.ts';
import { readTokenPriceRule } from '../../../src/host/models/tokenPriceRules.ts';

const models = [
  { id: 'a/listed', owner: 'a', tokenPrice: { input: 1e-6, output: 2e-6 }, price: { perRequest: 0.01 } },
  { id: 'a/auto', owner: 'a' },
];

describe('the price of a model in chats', () => {
  it('is the user’s own, for a million tokens, before what the gateway lists', () => {
    const rule = readTokenPriceRule({ models: 'a/*', input: 3, output: 15, cachedInput: 0 });
    assert.ok(rule);
    const tokens = { input: 3e-6, output: 15e-6, cachedInput: 0 };
    assert.deepEqual(replyPrice({ rules: [rule], models }, 'A/Listed', undefined), {
      tokens,
      source: 'user-price',
    });
    assert.equal(replyPrice({ rules: [rule], models }, 'b/other', undefined), undefined);
  });

  it('is what the gateway lists, also of the model that answered', () => {
    const listed = {
      ...{ tokens: { input: 1e-6, output: 2e-6 }, perRequest: 0.01, source: 'listed-price' },
    };
    assert.deepEqual(replyPrice({ rules: [], models }, 'a/listed', undefined), listed);
    assert.deepEqual(replyPrice({ rules: [], models }, 'a/auto', 'a/listed'), listed);
    assert.equal(replyPrice({ rules: [], models }, 'a/auto', undefined), undefined);
  });

  it('is none in an entry that is not whole', () => {
    const whole = { models: '*', input: 1, output: 2 };
    for (const change of [{ models: 7 }, { input: '1' }, { output: -1 }, { input: undefined }]) {
      assert.equal(readTokenPriceRule({ ...whole, ...change }), undefined);
    }
    for (const entry of [null, 'x', [], {}]) assert.equal(readTokenPriceRule(entry), undefined);
    assert.deepEqual(readTokenPriceRule({ ...whole, cachedInput: 'x' })?.price, {
      input: 1e-6,
      output: 2e-6,
    });
  });

  it('is never shown as 0 unless it is 0', () => {
    assert.equal(costText(0, 'en'), '$0');
    assert.equal(costText(0.0012, 'en'), '$0.0012');
    assert.equal(costText(1e-12, 'en'), '<$0.000001');
    assert.equal(costText(12.345, 'en'), '$12.35');
  });
});
