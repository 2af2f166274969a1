import assert from 'node:assert/strict';
import {
  perMillion,
  shortCount,
  shortPrice,
  shortTokenPrice,
} from '../../../src/host/models/modelFigures.ts';

describe('the figures of a model', () => {
  it('are short token counts', () => {
    const cases = { 512: '512', 4096: '4k', 8192: '8k', 16385: '16k', 32768: '32k', 40960: '40k' };
    for (const [tokens, text] of Object.entries(cases)) assert.equal(shortCount(Number(tokens)), text);
    const large = { 128000: '128k', 131072: '128k', 200000: '200k', 1000000: '1M', 1048576: '1M' };
    for (const [tokens, text] of Object.entries(large)) assert.equal(shortCount(Number(tokens)), text);
    assert.deepEqual([1_047_576, 1_500_000, 2_097_152].map(shortCount), ['1M', '1.5M', '2M']);
  });

  it('are prices per million tokens, with a dash for an unknown price', () => {
    const price = (input?: number, output?: number) =>
      shortTokenPrice(
        { ...(input !== undefined && { input }), ...(output !== undefined && { output }) },
        'en',
      );
    assert.equal(price(1.5e-7, 6e-7), '$0.15/$0.60');
    assert.equal(price(3e-6, 1.5e-5), '$3/$15');
    assert.equal(price(2e-8, 0), '$0.02');
    assert.equal(price(7.5e-8, 3e-7), '$0.075/$0.30');
    assert.equal(price(2.8e-9), '$0.0028/–');
    assert.equal(price(undefined, 1e-6), '–/$1');
    assert.equal(perMillion(1.25e-6, 'de').replace(/\s/g, ' '), '1,25 $');
  });

  it('are prices per request and per second', () => {
    assert.deepEqual(shortPrice({ perRequest: 0.35, perSecond: 0.1 }, 'en'), {
      perRequest: '$0.35',
      perSecond: '$0.10',
    });
    assert.deepEqual(shortPrice({}, 'en'), {});
  });
});
