import assert from 'node:assert/strict';
import {
  collectTokenPrices,
  decodeModelInfo,
  hasPrices,
  replaceTokenPrices,
} from '../../../src/wire/apis/models/modelInfo.ts';

/** A deployment as LiteLLM writes it: unknown values are null, or 0 if a number is required. */
function createDeployment(model_name: unknown, info: object = {}, params: object = {}): object {
  return {
    model_name,
    litellm_params: { custom_llm_provider: 'openai', use_in_pass_through: false, model: 'm', ...params },
    model_info: {
      id: 'b64d',
      db_model: true,
      key: 'm',
      max_tokens: 128_000,
      mode: 'chat',
      input_cost_per_token: 0,
      output_cost_per_token: 0,
      cache_creation_input_token_cost: null,
      output_cost_per_reasoning_token: null,
      supports_vision: true,
      ...info,
    },
  };
}

function createCosts(input: unknown, output: unknown): object {
  return { input_cost_per_token: input, output_cost_per_token: output };
}

function decodePrices(...deployments: readonly unknown[]): object {
  const prices = decodeModelInfo({ data: deployments });
  assert.ok(prices);
  return Object.fromEntries(prices);
}

describe('the model information of LiteLLM', () => {
  it('contains token prices by name', () => {
    assert.deepEqual(
      decodePrices(
        createDeployment('a', { ...createCosts(3e-6, '1.5e-5'), cache_read_input_token_cost: 3e-7 }),
        createDeployment('b', { ...createCosts(1e-6, 4e-6), input_cost_per_token_above_200k_tokens: 2e-6 }),
        createDeployment('undeclared'),
      ),
      {
        a: { input: 3e-6, output: 1.5e-5, cachedInput: 3e-7 },
        b: { input: 1e-6, output: 4e-6, tiers: [{ above: 200_000, input: 2e-6 }] },
      },
    );
  });

  it('prefers the operator’s own price to the table price', () => {
    const own = createDeployment(
      'a',
      { ...createCosts(3e-6, 1e-5), cache_read_input_token_cost: 3e-7 },
      createCosts(1e-6, 2e-6),
    );
    assert.deepEqual(decodePrices(own), { a: { input: 1e-6, output: 2e-6 } });
  });

  it('has no price for a model whose deployments differ, in any order', () => {
    const [cheap, dear] = [
      createDeployment('a', createCosts(1e-6, 2e-6)),
      createDeployment('a', createCosts(2e-6, 4e-6)),
    ];
    const unknown = createDeployment('a');
    for (const several of [
      [cheap, dear],
      [dear, cheap, cheap],
      [cheap, dear, dear],
      [unknown, cheap],
      [cheap, unknown, cheap],
      [cheap, dear, unknown, unknown, cheap],
    ]) {
      assert.deepEqual(decodePrices(...several), {});
    }
    assert.deepEqual(decodePrices(cheap, cheap, createDeployment('b', createCosts(2e-6, 4e-6))), {
      a: { input: 1e-6, output: 2e-6 },
      b: { input: 2e-6, output: 4e-6 },
    });
  });

  it('has no price for invalid numbers, and never 0', () => {
    for (const amount of [
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e300,
      'free',
      '',
      {},
      [1e-6],
      true,
      null,
    ]) {
      assert.deepEqual(decodePrices(createDeployment('a', createCosts(amount, amount))), {}, String(amount));
    }
    const hostile = [
      null,
      7,
      'x',
      [],
      {},
      createDeployment(7),
      createDeployment(''),
      createDeployment('__proto__', createCosts(1e-6, 1e-6)),
    ];
    assert.deepEqual(
      [...(decodeModelInfo({ data: hostile }) ?? [])],
      [['__proto__', { input: 1e-6, output: 1e-6 }]],
    );
    assert.deepEqual(decodePrices({ model_name: 'a', model_info: 'x', litellm_params: null }), {});
    for (const other of [null, [], 'x', {}, { data: {} }, { data: null }, { object: 'list' }]) {
      assert.equal(decodeModelInfo(other), undefined);
    }
  });

  it('ignores models with too many prices and lists with too many deployments', () => {
    const tiers = (n: number) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, at) => [`input_cost_per_token_above_${at + 1}k_tokens`, 1e-6]),
      );
    assert.deepEqual(
      decodePrices(
        createDeployment('a', { ...createCosts(1e-6, 2e-6), ...tiers(1000) }),
        createDeployment('b', createCosts(1e-6, 2e-6)),
      ),
      {
        b: { input: 1e-6, output: 2e-6 },
      },
    );
    const many = Array.from({ length: 5000 }, () => createDeployment('a', createCosts(1e-6, 2e-6)));
    assert.equal(decodeModelInfo({ data: many }), undefined);
  });

  it('replaces all token prices of a model list', () => {
    const listed = [
      { id: 'a', owner: 'o', tokenPrice: { input: 9, output: 9 } },
      { id: 'b', owner: '' },
    ];
    const priced = replaceTokenPrices(listed, new Map([['b', { input: 1e-6, output: 2e-6 }]]));
    assert.deepEqual(priced, [
      { id: 'a', owner: 'o' },
      { id: 'b', owner: '', tokenPrice: { input: 1e-6, output: 2e-6 } },
    ]);
    assert.deepEqual(replaceTokenPrices(listed, collectTokenPrices(priced)), priced);
    assert.equal(hasPrices(priced), true);
    assert.equal(hasPrices([{ id: 'v', owner: '', price: { perRequest: 1 } }]), true);
    assert.equal(hasPrices(replaceTokenPrices(priced, new Map())), false);
  });
});
