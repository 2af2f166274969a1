import assert from 'node:assert/strict';
import fc from 'fast-check';
import { modelAbilities } from '../../../src/wire/apis/models/modelFacts.ts';
import { writeModelFields } from '../../../src/wire/apis/models/modelFields.ts';
import { decodeModelList, type Model } from '../../../src/wire/apis/models/modelList.ts';
import { modelUses } from '../../../src/wire/apis/models/modelUse.ts';

function decodeModel(element: object): Model | undefined {
  return decodeModelList({ data: [{ id: 'm', ...element }] })?.[0];
}

describe('the facts about a model in a model list', () => {
  it('include the context length under the names of each gateway', () => {
    for (const element of [
      { context_length: 128_000, top_provider: { context_length: 64_000 } },
      { context_window: 128_000, max_tokens: 64_000 },
      { max_context_length: 128_000 },
      { max_model_len: 128_000 },
      { inputTokenLimit: 128_000 },
      { model_info: { max_input_tokens: 128_000, max_tokens: 4096 } },
      { limits: { max_input_tokens: 128_000 } },
      { capabilities: { limits: { max_context_window_tokens: 128_000 } } },
      { context_length: null, top_provider: { context_length: 128_000 } },
    ]) {
      assert.equal(decodeModel(element)?.contextLength, 128_000, JSON.stringify(element));
    }
    assert.equal(decodeModel({ top_provider: { max_completion_tokens: 8192 } })?.maxOutput, 8192);
    for (const context_length of [0, -1, 1.5, '128k', Number.MAX_VALUE, {}, null]) {
      assert.equal(decodeModel({ context_length })?.contextLength, undefined);
    }
  });

  it('include the abilities', () => {
    const cases: readonly (readonly [object, ...string[]])[] = [
      [{ supported_parameters: ['tools', 'temperature', 'include_reasoning'] }, 'tools', 'reasoning'],
      [{ architecture: { input_modalities: ['text', 'image', 'file'] } }, 'vision', 'files'],
      [{ architecture: { modality: 'text+image->text' } }, 'vision'],
      [{ model_info: { supports_vision: true, supports_function_calling: false } }, 'vision'],
      [{ capabilities: { completion_chat: true, function_calling: true, vision: false } }, 'tools'],
      [{ capabilities: { supports: { tool_calls: true, vision: true } } }, 'vision', 'tools'],
      [{ capabilities: { image_input: { supported: true }, thinking: { supported: false } } }, 'vision'],
      [{ capabilities: ['completion', 'thinking'] }, 'reasoning'],
      [{ tags: ['tool-use', 'vision', 'file-input'] }, 'vision', 'files', 'tools'],
      [{ thinking: true }, 'reasoning'],
    ];
    for (const [element, ...abilities] of cases) {
      assert.deepEqual(decodeModel(element)?.abilities, abilities, JSON.stringify(element));
    }
    assert.equal(decodeModel({ capabilities: [7, null, 'unheard of'] })?.abilities, undefined);
  });

  it('include token prices, and never 0 for an unreported price', () => {
    const cases: readonly (readonly [object, object | undefined])[] = [
      [{ pricing: { prompt: '0.00000015', completion: '0.0000006' } }, { input: 1.5e-7, output: 6e-7 }],
      [
        { pricing: { input: '0.000003', output: '0.000015', input_cache_read: '0.0000003' } },
        { input: 3e-6, output: 1.5e-5, cachedInput: 3e-7 },
      ],
      [
        { model_info: { input_cost_per_token: 1.5e-7, output_cost_per_token: 6e-7 } },
        { input: 1.5e-7, output: 6e-7 },
      ],
      [
        { input_cost_per_token: 2e-8, output_cost_per_token: 0 },
        { input: 2e-8, output: 0 },
      ],
      [{ input_cost_per_token: 0, output_cost_per_token: 0 }, undefined],
      [
        {
          model_info: {
            input_cost_per_token: 3e-6,
            output_cost_per_token: 1.5e-5,
            cache_read_input_token_cost: 3e-7,
            cache_creation_input_token_cost: 3.75e-6,
            input_cost_per_token_above_200k_tokens: 6e-6,
            output_cost_per_token_above_200k_tokens: 2.25e-5,
            input_cost_per_token_batches: 1.5e-6,
            cache_read_input_token_cost_above_200k_tokens: 6e-7,
            input_cost_per_token_flex: 1e-6,
          },
        },
        {
          input: 3e-6,
          output: 1.5e-5,
          cachedInput: 3e-7,
          cacheWrite: 3.75e-6,
          tiers: [{ above: 200_000, input: 6e-6, output: 2.25e-5, cachedInput: 6e-7 }],
          services: { flex: { input: 1e-6 }, batch: { input: 1.5e-6 } },
        },
      ],
      [
        {
          model_info: {
            input_cost_per_token: 1e-6,
            output_cost_per_token: 1e-5,
            input_cost_per_token_flex: 5e-7,
            output_cost_per_token_flex: 5e-6,
            cache_read_input_token_cost_flex: 5e-8,
            input_cost_per_token_priority: '2e-6',
            output_cost_per_token_priority: 2e-5,
            input_cost_per_token_above_200k_tokens_priority: 4e-6,
            output_cost_per_token_batches: -1,
            input_cost_per_token_batches: 0,
          },
        },
        {
          input: 1e-6,
          output: 1e-5,
          services: {
            flex: { input: 5e-7, output: 5e-6, cachedInput: 5e-8 },
            priority: { input: 2e-6, output: 2e-5, tiers: [{ above: 200_000, input: 4e-6 }] },
          },
        },
      ],
      [
        {
          input_cost_per_token: 1e-6,
          input_cost_per_token_above_200k_tokens: 0,
          output_cost_per_token_above_128k_tokens: -1,
        },
        { input: 1e-6 },
      ],
      [
        { pricing: { prompt: '0.000002', input_cache_write: '0.0000025', internal_reasoning: '0' } },
        { input: 2e-6, cacheWrite: 2.5e-6 },
      ],
      [
        {
          cost: { input: 1.25, output: 10, cache_read: 0.125, context_over_200k: { input: 2.5, output: 15 } },
        },
        {
          input: 1.25e-6,
          output: 1e-5,
          cachedInput: 1.25e-7,
          tiers: [{ above: 200_000, input: 2.5e-6, output: 1.5e-5 }],
        },
      ],
      [{ cost: { input: 0, output: 0 } }, undefined],
      [{ cost: '12' }, undefined],
      [
        {
          pricing: { prompt: '0.000003', input_cache_write: '0.00000375', input_cache_write_1h: '0.000006' },
        },
        { input: 3e-6, cacheWrite: 3.75e-6, cacheHour: 6e-6 },
      ],
      [
        { input_cost_per_token: 3e-6, cache_creation_input_token_cost_above_1hr: 6e-6 },
        { input: 3e-6, cacheHour: 6e-6 },
      ],
      // Prices that apply to only a part of the requests.
      [{ input_cost_per_token: 1e-6, tiered_pricing: [{ range: [0, 32_000] }] }, undefined],
      [{ pricing: { prompt: '0.000001', overrides: [{ min_prompt_tokens: 200_000 }] } }, undefined],
      [{ pricing: { prompt: '0', completion: '0' } }, undefined],
      [{ pricing: { prompt: '-1', completion: '-1' } }, undefined],
      // Prices of a million tokens, as one provider reports them.
      [{ pricing: { input: 0.88, output: 0.88 } }, undefined],
      [{ pricing: { prompt: '0.15', completion: '0.6' } }, undefined],
      // Prices of one token, where others list prices of a million.
      [{ cost: { input: 0.000003, output: 0.000015 } }, undefined],
      [{ input_cost_per_token: 3e-12, output_cost_per_token: 15e-6 }, { output: 15e-6 }],
      [{ pricing: { prompt: 'free', completion: '' } }, undefined],
      [{ pricing: null, input_cost_per_token: Number.NaN }, undefined],
    ];
    for (const [element, price] of cases) {
      assert.deepEqual(decodeModel(element)?.tokenPrice, price, JSON.stringify(element));
    }
  });

  it('exclude the last of 100,000 abilities and members with the name __proto__', () => {
    const capabilities = Array.from({ length: 100_000 }, (_, nth) => `word-${nth}`);
    assert.equal(decodeModel({ capabilities: [...capabilities, 'vision'] })?.abilities, undefined);
    const element = JSON.parse('{"__proto__": {"mode": "embedding"}, "capabilities": {"__proto__": true}}');
    assert.equal(decodeModel(element)?.uses, undefined);
  });

  it('are read again unchanged when a gateway passes them on', () => {
    const amount = fc.integer({ min: 1, max: 10_000 }).map((micros) => micros / 1e9);
    const count = fc.integer({ min: 1, max: 10_000_000 });
    const tiers = fc
      .constantFrom([128_000], [128_000, 200_000])
      .chain((sizes) =>
        fc.tuple(
          ...sizes.map((above) => fc.record({ above: fc.constant(above), input: amount, output: amount })),
        ),
      );
    const service = fc.record({ input: amount, output: amount, tiers }, { requiredKeys: ['input'] });
    const model = fc.record(
      {
        id: fc.constant('m'),
        owner: fc.constant('o'),
        name: fc.string({ minLength: 1, maxLength: 20 }),
        contextLength: count,
        maxOutput: count,
        price: fc.record({ perRequest: amount, perSecond: amount }),
        tokenPrice: fc.record(
          {
            input: amount,
            output: amount,
            cachedInput: amount,
            cacheWrite: amount,
            reasoning: amount,
            tiers,
            services: fc.oneof(
              fc.record({ flex: service }),
              fc.record({ flex: service, priority: service, batch: service }),
            ),
          },
          { requiredKeys: ['input', 'output'] },
        ),
        uses: fc.uniqueArray(fc.constantFrom(...modelUses), { minLength: 1 }),
        abilities: fc
          .subarray([...modelAbilities], { minLength: 1 })
          .map((some) => modelAbilities.filter((ability) => some.includes(ability))),
      },
      { requiredKeys: ['id', 'owner'] },
    );
    fc.assert(
      fc.property(model, (known) => {
        const listed = JSON.parse(JSON.stringify({ id: 'm', owned_by: 'o', ...writeModelFields(known) }));
        // As plain objects, because fast-check's objects are not plain.
        assert.deepEqual(decodeModelList([listed]), [structuredClone(known)]);
      }),
    );
  });
});
