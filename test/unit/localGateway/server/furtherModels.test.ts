import assert from 'node:assert/strict';
import { readFormBody } from '../../../../src/localGateway/http/formBody.ts';
import { readRequestBody } from '../../../../src/localGateway/http/requestBody.ts';
import type { ModelPrices } from '../../../../src/localGateway/models/modelPrices.ts';
import { GatewaySpending } from '../../../../src/localGateway/server/gatewaySpending.ts';
import { limitError } from '../../../../src/localGateway/server/limitError.ts';
import type { SpendingCall } from '../../../../src/localGateway/upstreams/upstream.ts';
import type { TextFormatId } from '../../../../src/wire/apis/textFormats.ts';

const tokenPrices = (output: number): ModelPrices => ({ tokens: { input: 0, output } });

const prices: Readonly<Record<string, ModelPrices>> = {
  cheap: { ...tokenPrices(1e-3), perSecond: 1 },
  dear: { ...tokenPrices(1), perSecond: 100 },
};

describe('P17 the counted costs of a request that may use another model or setting', () => {
  const spending = new GatewaySpending('', () => {});
  spending.setRules({
    limits: [],
    findPrices: (_, model) => prices[model],
    findTokenLimits: (_, model) => (model === 'dear' ? { maxOutput: 50_000 } : { maxOutput: 2_000 }),
    loadModels: async () => {},
  });

  function createPlan(json: string, call: Partial<SpendingCall> = {}) {
    const body = readRequestBody([Buffer.from(json)]);
    return spending.plan({ upstream: 'one', model: 'cheap', body, ...call }, '', true);
  }

  /** The highest cost of a request with these fields, in dollars; undefined if it is unknown. */
  function computeCost(fields: string, call: Partial<SpendingCall> = {}): number | undefined {
    const { amount } = createPlan(`{"model":"cheap","max_tokens":1000${fields && `,${fields}`}}`, call).most;
    return amount === undefined ? undefined : amount / 1e9;
  }

  it('are those of the dearest model that its body names', () => {
    for (const fields of [
      '"models":["cheap","dear"]',
      '"fallbacks":["dear"]',
      '"fallbacks":"dear"',
      '"fallbacks":[{"model":"dear","messages":[]}]',
      '"fallbacks":[{"cheap":["dear"]}]',
      '"context_window_fallbacks":[{"*":["dear"]}]',
      '"Fallbacks":["dear"]',
      '"route":"fallback","models":["dear"]',
      '"extra_body":{"model":"dear"}',
      '"extra_body":{"models":["dear"]}',
      '"extra_body":{"extra_body":{"fallbacks":["dear"]}}',
      '"router_settings_override":{"fallbacks":[{"cheap":["dear"]}]}',
      '"providerOptions":{"gateway":{"models":["dear"]}}',
      '"engine":"dear"',
      '"tools":[{"type":"advisor_20260301","name":"advisor","model":"dear"}]',
    ])
      assert.equal(computeCost(fields), 1_000, fields);
  });

  it('are unknown if the price or the form of another model is unknown', () => {
    for (const fields of [
      '"models":["dear","other"]',
      '"preset":"mine"',
      '"fallbacks":[{"model":"cheap","max_tokens":9000}]',
      '"fallbacks":[{"cheap":{"model":"cheap"}}]',
      '"fallbacks":[3]',
      `"fallbacks":${'['.repeat(9)}"cheap"${']'.repeat(9)}`,
    ])
      assert.equal(computeCost(fields), undefined, fields);
  });

  it('do not depend on names that do not select a model', () => {
    for (const fields of [
      '"models":[]',
      '"fallbacks":null',
      '"models":["cheap"]',
      '"route":"fallback"',
      '"metadata":{"model":"dear","agent":"other"}',
      '"messages":[{"role":"user","content":{"models":["dear"]}}]',
      '"tools":[{"type":"function","function":{"parameters":{"properties":{"models":{}}}}}]',
      '"tools":[{"type":"custom","name":"advisor","model":"dear"}]',
      '"plugins":[{"id":"web","engine":"exa"}]',
      '"provider":{"order":["one"],"allow_fallbacks":true}',
      '"mock_testing_fallbacks":true',
    ])
      assert.equal(computeCost(fields), 1, fields);
  });

  it('of a video include a model in its metadata', () => {
    const computeVideoCost = (fields: string) => computeCost(`"seconds":5,${fields}`, { task: 'videos' });
    assert.equal(computeVideoCost('"metadata":{"model":"dear"}'), 500);
    assert.equal(computeVideoCost('"metadata":{"title":"dear"}'), 5);
    assert.equal(computeVideoCost('"metadata":{"model":"other"}'), undefined);
    for (const [name, value] of [
      ['metadata.model', 'dear'],
      ['metadata', '{"model":"dear"}'],
    ]) {
      const parts = [`name="seconds"\r\n\r\n5\r\n`, `name="${name}"\r\n\r\n${value}\r\n`];
      const text = parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}`).join('');
      const body = readFormBody(Buffer.from(`${text}--b--\r\n`), 'multipart/form-data; boundary=b');
      assert.equal(computeCost('', { task: 'videos', body }), 500, name);
    }
  });

  it('are refused with the model whose price is unknown', () => {
    const use = { limit: { name: '1 USD', per: 'day', allowed: 1, currency: 'USD' } as const };
    const counts = { used: 0, failed: 0, reserved: 0, allowed: 1, unpriced: 0, resetsAt: 0 };
    const createMessage = (fields: string) =>
      limitError({ use: { ...use, ...counts }, reason: 'unpriced' }, createPlan(`{${fields}}`), 0).message;
    assert.match(
      createMessage('"fallbacks":["other"]'),
      /^The price of "other" in the field fallbacks is unknown/,
    );
    assert.match(createMessage('"models":[1]'), /^The price of a model in the field models is unknown/);
  });

  it('include the output limit of the dearest model, unless the request has its own', () => {
    const computeOutput = (json: string) => createPlan(json).maxOutput;
    assert.deepEqual(
      ['{}', '{"models":["dear"]}', '{"models":["dear"],"max_tokens":10}'].map(computeOutput),
      [2_000, 50_000, 10],
    );
  });

  it('include the number of choices and the output limit in every place where servers read them', () => {
    for (const [json, output] of [
      ['{"n":3,"max_tokens":10}', 30],
      ['{"best_of":3,"max_tokens":10}', 30],
      ['{"generationConfig":{"candidate_count":3,"max_output_tokens":10}}', 30],
      ['{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":10}}', 10],
      ['{"max_tokens":10,"extra_body":{"n":3}}', 30],
      ['{"max_tokens":10,"extra_body":{"max_tokens":5000}}', 5_000],
    ] as const)
      assert.equal(createPlan(json).maxOutput, output, json);
  });

  it('ignore an output limit that the format does not have', () => {
    const limits: readonly (readonly [TextFormatId, string])[] = [
      ['chatCompletions', '{"max_tokens":10}'],
      ['messages', '{"max_tokens":10}'],
      ['responses', '{"max_output_tokens":10}'],
      ['contentGeneration', '{"generationConfig":{"maxOutputTokens":10}}'],
    ];
    for (const [format, json] of limits) {
      assert.equal(createPlan(json, { format }).maxOutput, 10, format);
      for (const [other, foreign] of limits)
        if (foreign !== json)
          assert.equal(createPlan(foreign, { format }).maxOutput, 2_000, `${other}, ${format}`);
    }
    const ofInteraction = '{"generation_config":{"max_output_tokens":10}}';
    assert.equal(createPlan(ofInteraction, { format: 'interactions' }).maxOutput, 10);
    assert.equal(createPlan('{"max_output_tokens":10}', { format: 'interactions' }).maxOutput, 2_000);
    assert.equal(
      createPlan('{"extra_body":{"max_tokens":1}}', { format: 'chatCompletions' }).maxOutput,
      2_000,
    );
    assert.equal(createPlan('{"max_output_tokens":9000}', { format: 'chatCompletions' }).maxOutput, 9_000);
  });
});
