import assert from 'node:assert/strict';
import { readFormBody } from '../../../../src/localGateway/http/formBody.ts';
import { readRequestBody } from '../../../../src/localGateway/http/requestBody.ts';
import type { ModelPrices } from '../../../../src/localGateway/models/modelPrices.ts';
import { GatewaySpending } from '../../../../src/localGateway/server/gatewaySpending.ts';
import type { ReplySize } from '../../../../src/localGateway/server/plannedCall.ts';
import { computeSpentAmount } from '../../../../src/localGateway/server/replyCost.ts';
import { ReplyTokens } from '../../../../src/localGateway/server/replyTokens.ts';
import type { TextFormatId } from '../../../../src/wire/apis/textFormats.ts';

const rates = { input: 1e-3, output: 1e-3, cacheWrite: 1.25e-3, cacheHour: 2e-3 };
const prices = { tokens: { input: 1e-6, output: 1e-3, cachedInput: 1e-7 } };
const spending = new GatewaySpending('', () => {});

describe('P17 the counted tokens and costs of the local gateway', () => {
  function createPlan(json: string, listed?: number, ofModel: ModelPrices = prices) {
    spending.setRules({
      limits: [],
      findPrices: () => ofModel,
      findTokenLimits: () => (listed === undefined ? undefined : { maxOutput: listed }),
      loadModels: async () => {},
    });
    return spending.plan(
      { upstream: 'one', model: 'm', body: readRequestBody([Buffer.from(json)]) },
      '',
      true,
    );
  }

  /** The properties of a reply with these bytes. */
  function readSize(bytes: string, format: TextFormatId = 'chatCompletions'): ReplySize {
    const reader = new ReplyTokens(format);
    reader.add(bytes);
    return { tokens: reader.reported, isCut: false, textLength: reader.measureText() };
  }

  /** What a reply with these bytes spends. */
  function spentBy(bytes: string, changed: Partial<ReplySize> = {}) {
    return computeSpentAmount(createPlan('{"max_tokens":1000}'), { ...readSize(bytes), ...changed });
  }

  const createEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const createChunk = (content: string, more: object = {}) =>
    createEvent({ choices: [{ index: 0, delta: { content }, ...more }] });

  it('of a request use the largest output limit, and never none for a limit that is not a number', () => {
    for (const [json, output] of [
      ['{"max_tokens":1e999}', 1e9],
      ['{"max_tokens":1,"max_completion_tokens":5000}', 5_000],
      ['{"max_tokens":"5000","n":"3"}', 15_000],
      ['{"max_tokens":-5}', 16_384],
      ['{"max_tokens":"1_000","n":1}', 1e9],
      ['{"max_tokens":7,"n":"1_0"}', 7_000],
      ['{"max_tokens":null,"n":1e300}', 16_384_000],
    ] as const) {
      const { least, most } = createPlan(json);
      assert.equal(most.tokens - least.tokens, output, json);
      assert.ok((most.amount ?? 0) >= output * 1e6, json);
    }
  });

  it('of a request without an output limit use the limit of its model', () => {
    const { least, most } = createPlan('{"n":2}', 128_000);
    assert.equal(most.tokens - least.tokens, 256_000);
  });

  it('of a request that continues a stored conversation use the context length of its model', () => {
    const json = '{"max_output_tokens":100,"previous_response_id":"resp_1","input":"more"}';
    assert.ok(createPlan(json).most.tokens >= 100_000);
    const planned = createPlan(json, 500);
    assert.ok(planned.least.tokens < 100, 'one request is not refused');
    spending.setRules({
      limits: [],
      findPrices: () => prices,
      loadModels: async () => {},
      findTokenLimits: () => ({ contextLength: 1_000_000 }),
    });
    const body = readRequestBody([Buffer.from(json)]);
    assert.equal(spending.plan({ upstream: 'one', model: 'm', body }, '', true).most.tokens, 1_000_100);
  });

  it('of a request with a file use its size, until its reply reports the input', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(400_000) };
    const planned = createPlan(JSON.stringify({ max_tokens: 10, messages: [{ content: [{ source }] }] }));
    assert.ok(planned.most.tokens >= 100_000);
    assert.ok(planned.least.tokens < 2_000, 'the input that is certain, so that one request is not refused');
    const size = { isCut: false, textLength: 8 };
    assert.ok(computeSpentAmount(planned, { ...size, tokens: undefined }).tokens >= 100_000);
    assert.equal(
      computeSpentAmount(planned, { ...size, tokens: { inputTokens: 3_000, outputTokens: 1 } }).tokens,
      3_001,
    );
  });

  it('of a reply use the rates of its cache writes and of its service tier', () => {
    const listed = { ...rates, services: { priority: { input: 1, output: 1 } } };
    const planned = createPlan('{"max_tokens":1000}', undefined, { tokens: listed });
    for (const [tokens, dollars] of [
      [{ inputTokens: 10, outputTokens: 10 }, 0.02],
      [{ inputTokens: 10, outputTokens: 10, cacheWriteTokens: 8 }, 0.022],
      [{ inputTokens: 10, outputTokens: 10, cacheWriteTokens: 8, cacheHourTokens: 8 }, 0.028],
      [{ inputTokens: 10, outputTokens: 10, service: 'priority' }, 20],
      [{ inputTokens: 10, outputTokens: 10, service: 'flex' }, 0.02],
    ] as const) {
      const spent = computeSpentAmount(planned, { tokens, isCut: false, textLength: 8 });
      assert.equal(Math.round((spent.amount ?? 0) / 1e6) / 1e3, dollars, JSON.stringify(tokens));
    }
    for (const tier of ['"service_tier":"priority"', '"service_tier":"fast"', '"speed":"fast"']) {
      const { most } = createPlan(`{"max_tokens":1000,${tier}}`, undefined, { tokens: listed });
      assert.ok((most.amount ?? 0) >= 1_000e9, tier);
    }
  });

  it('of a faster tier without a listed price are more than those of the standard tier', () => {
    const counts = '"input_tokens":10,"output_tokens":500';
    const standard = spentBy(`{"usage":{${counts}}}`).amount ?? Number.NaN;
    for (const tier of ['"speed":"fast"', '"service_tier":"priority"', '"service_tier":"ultrafast"'])
      assert.equal(spentBy(`{"usage":{${counts},${tier}}}`).amount, 2.5 * standard, tier);
    assert.equal(spentBy(`{"usage":{${counts},"speed":"standard"}}`).amount, standard);
    const plannedMost = (fields: string) => createPlan(`{"max_tokens":1000${fields}}`).most.amount ?? 0;
    assert.ok(plannedMost(',"speed":"fast"') >= 2.5 * plannedMost(''));
    assert.equal(plannedMost(',"speed":"standard"'), plannedMost(',"service_tier":"flex"'));
    const ofUnknownWrites: ModelPrices = { tokens: { input: 1e-6, output: 1e-3 } };
    const tokens = { inputTokens: 10, outputTokens: 500, cacheWriteTokens: 5 };
    const costs = (
      [
        ['', tokens],
        [',"speed":"fast"', undefined],
        ['', { ...tokens, service: 'priority' }],
      ] as const
    ).map(([fields, counts]) => {
      const planned = createPlan(`{"max_tokens":500${fields}}`, undefined, ofUnknownWrites);
      const size = { tokens: counts, isCut: false };
      return (computeSpentAmount(planned, size).amount ?? 0) / 1e9;
    });
    assert.deepEqual(
      costs.map((cost) => Math.round(cost * 100) / 100),
      [0.5, 1.25, 1.25],
    );
  });

  it('of a video are known for any number and length in its request', () => {
    createPlan('{}', undefined, { perSecond: 0.1 });
    for (const [json, dollars] of [
      ['{"seconds":"5"}', 0.5],
      ['{"seconds":"5","n":4}', 2],
      ['{"seconds":5,"parameters":{"numberOfVideos":2}}', 1],
      ['{"seconds":5,"n":1e999}', 500],
      ['{"seconds":5,"num_outputs":4}', 2],
      ['{"seconds":5,"metadata":{"number_of_videos":4}}', 2],
      ['{"seconds":5,"extra_body":{"batch_size":2,"duration":10}}', 2],
      ['{"seconds":5,"frames":289}', undefined],
      ['{"seconds":5,"frames":0}', 0.5],
      ['{"seconds":1e999}', 8_640],
      ['{"seconds":"1","metadata":{"duration":60}}', 6],
      [`{"seconds":"1","metadata":${JSON.stringify('{"duration":60}')}}`, 6],
      ['{"duration":1,"metadata":{"parameters":{"durationSeconds":"60"}}}', 6],
      ['{"duration":60,"metadata":{"seconds":1}}', 6],
      ['{"seconds":1,"parameters":{"duration":60}}', 6],
      ['{"seconds":1,"response_format":[{"type":"text"},{"type":"video","duration":"60s"}]}', 6],
      ['{"seconds":5,"metadata":{"n":2},"parameters":{"parameters":{"n":4}}}', 2],
      ['{"seconds":5,"n":0,"duration":0}', 0.5],
      ['{"seconds":5,"prompt":"A cat --resolution 720p --duration 12"}', 1.2],
      ['{"seconds":5,"input":{"prompt":"A cat --dur 12"}}', 1.2],
      ['{"seconds":5,"n":"1_0"}', undefined],
      ['{"seconds":5,"n":-1}', undefined],
      ['{"seconds":5,"duration":-1}', undefined],
      ['{"seconds":5,"duration":"auto"}', undefined],
      ['{"seconds":5,"duration":"6_0"}', undefined],
    ] as const) {
      const body = readRequestBody([Buffer.from(json)]);
      const { most } = spending.plan({ upstream: 'one', model: 'm', body, task: 'videos' }, '', true);
      assert.equal(most.amount === undefined ? undefined : most.amount / 1e9, dollars, json);
    }
  });

  it('of a form of a video use its longest length', () => {
    createPlan('{}', undefined, { perSecond: 0.5 });
    for (const longest of [{ 'metadata.duration': '60' }, { metadata: '{"duration":60}' }]) {
      const parts = Object.entries({ seconds: '1', ...longest }).map(
        ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const body = readFormBody(Buffer.from(`${parts.join('')}--b--\r\n`), 'multipart/form-data; boundary=b');
      const { most } = spending.plan({ upstream: 'one', model: 'm', body, task: 'videos' }, '', true);
      assert.equal((most.amount ?? 0) / 1e9, 30, JSON.stringify(longest));
    }
  });

  it('of a remix use at least the length of its original', () => {
    createPlan('{}', undefined, { perSecond: 0.5 });
    for (const [json, dollars] of [
      ['{"prompt":"A dog"}', 30],
      ['{"seconds":"1"}', 30],
      ['{"seconds":"90"}', 45],
    ] as const) {
      const body = readRequestBody([Buffer.from(json)]);
      const call = { upstream: 'one', model: 'm', body, task: 'videos', seconds: 60 } as const;
      assert.equal((spending.plan(call, '', true).most.amount ?? 0) / 1e9, dollars, json);
    }
  });

  it('of a text in the background are those of its tokens', () => {
    for (const [task, limit] of [
      ['responses', '"max_output_tokens":500'],
      ['interactions', '"generation_config":{"max_output_tokens":500}'],
    ] as const) {
      createPlan('{}');
      const body = readRequestBody([Buffer.from(`{"background":true,${limit}}`)]);
      const { least, most } = spending.plan({ upstream: 'one', model: 'm', body, task }, '', true);
      assert.equal(most.tokens - least.tokens, 500, task);
      assert.ok((most.amount ?? 0) >= 0.5e9, task);
    }
  });

  it('of a video are known without limits, for the metrics', () => {
    createPlan('{}', undefined, { perSecond: 0.5 });
    const body = readRequestBody([Buffer.from('{"seconds":"5","n":2}')]);
    const { most } = spending.plan({ upstream: 'one', model: 'm', body, task: 'videos' }, '', false);
    assert.equal((most.amount ?? 0) / 1e9, 5);
  });

  it('of a request that was not read are those that its reply reports, or unknown', () => {
    createPlan('{}');
    const body = readRequestBody([Buffer.from('{"background":true}')]);
    const call = { upstream: 'one', model: 'm', body };
    const planned = spending.plan(call, '', false);
    const size = { isCut: false, textLength: 3_200 };
    const counts = { inputTokens: 10, outputTokens: 1_000 };
    const computeAmount = (changed: Partial<ReplySize>) =>
      computeSpentAmount(planned, { ...size, tokens: counts, ...changed }).amount;
    assert.equal(Math.round((computeAmount({}) ?? 0) / 1e6), 1_000);
    assert.equal(computeAmount({ tokens: { costUsd: 3 }, isCut: true }), 3e9);
    for (const unknown of [
      { tokens: undefined },
      { tokens: { inputTokens: 10 } },
      { tokens: { outputTokens: 1_000 } },
      { tokens: { totalTokens: 1_010 } },
      { tokens: { ...counts, otherUnits: 1 } },
      { isCut: true },
    ])
      assert.equal(computeAmount(unknown), undefined, JSON.stringify(unknown));
    const background = spending.plan({ ...call, task: 'responses' }, '', false);
    assert.equal(computeSpentAmount(background, { ...size, tokens: undefined }).amount, undefined);
  });

  it('of a stopped reply include reasoning that did not arrive', () => {
    assert.ok(spentBy(': keep-alive', { isCut: true }).tokens >= 1_000, 'the maximum of the request');
    const planned = createPlan('{"max_tokens":100000}');
    const size = { isCut: true, tokens: undefined, textLength: 60 };
    assert.equal(computeSpentAmount(planned, size).tokens - planned.least.tokens, 4_096);
  });

  it('of a reply that reports 0 are unknown if its model has no price', () => {
    const size = { isCut: false, textLength: 8 };
    const tokens = { inputTokens: 10, outputTokens: 10, costUsd: 0 };
    assert.equal(computeSpentAmount(createPlan('{}', undefined, {}), { ...size, tokens }).amount, undefined);
    const free = { tokens: { input: 0, output: 0 } };
    assert.equal(computeSpentAmount(createPlan('{}', undefined, free), { ...size, tokens }).amount, 0);
  });

  it('of a reply or a video use a reported cost, unless it is far below the known price', () => {
    const planned = createPlan(`{"max_tokens":1000,"prompt":"${'word '.repeat(4_000)}"}`);
    const size = { isCut: false, textLength: 2_000 };
    const computeDollars = (plan: typeof planned, tokens: ReplySize['tokens'], isCut = false) =>
      (computeSpentAmount(plan, { ...size, isCut, tokens }).amount ?? 0) / 1e9;
    const counts = { inputTokens: 10, outputTokens: 500 };
    assert.equal(computeDollars(planned, { ...counts, costUsd: 0.02 }), 0.02);
    assert.equal(computeDollars(planned, { ...counts, costUsd: 0.001 }), 0.50001);
    assert.equal(computeDollars(planned, { costUsd: 0.001 }, true), 0.001);
    assert.ok(computeDollars(planned, { costUsd: 1e-6 }) >= 1, 'less than the input');
    assert.equal(computeDollars(createPlan('{}', undefined, {}), { ...counts, costUsd: 1e-9 }), 1e-9);
    createPlan('{}', undefined, { perRequest: 2 });
    const body = readRequestBody([Buffer.from('{}')]);
    const video = spending.plan({ upstream: 'one', model: 'm', body, task: 'videos' }, '', true);
    assert.deepEqual(
      [0.5, 0.001].map((costUsd) => computeDollars(video, { costUsd })),
      [0.5, 2],
    );
  });

  it('of a reply with searches, pictures or sound are at least the maximum of its request', () => {
    const planned = createPlan('{"max_tokens":1000}');
    const size = { isCut: false, textLength: 8 };
    const spent = computeSpentAmount(planned, {
      ...size,
      tokens: { inputTokens: 10, outputTokens: 20, otherUnits: 1 },
    });
    assert.equal(spent.amount, planned.most.amount);
    assert.equal(spent.tokens, 30);
  });

  it('of a video are unknown if its model has only prices of tokens, which its request does not show', () => {
    createPlan('{}');
    const body = readRequestBody([Buffer.from('{"seconds":"5"}')]);
    const { least, most } = spending.plan({ upstream: 'one', model: 'm', body, task: 'videos' }, '', true);
    assert.deepEqual([least, most], [{ tokens: 0 }, { tokens: 0 }]);
  });

  it('of a reply without reported output follow from its text, or are the maximum', () => {
    const input = createPlan('{"max_tokens":1000}').least.tokens;
    const message = `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\n`;
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(70) },
    };
    const size = readSize(message + createEvent(delta), 'messages');
    assert.equal(computeSpentAmount(createPlan('{"max_tokens":1000}'), size).tokens, 79);
    const call = { id: 'c', index: 0, function: { name: 'read', arguments: 'x'.repeat(96) } };
    for (const [bytes, output] of [
      [createChunk('x'.repeat(4)).repeat(10), 40],
      [`: keep-alive\n\n${createChunk('x'.repeat(500))}`, 500],
      [createChunk('x'.repeat(600)).repeat(3), 1_000],
      [JSON.stringify({ choices: [{ index: 0, message: { content: 'x'.repeat(50) } }] }), 50],
      [JSON.stringify({ choices: [{ index: 0, message: { tool_calls: [call] } }] }), 100],
      ['{}', 1_000],
      ['data: [DONE]\n\n', 1_000],
      [createEvent({ text: 'in another format' }), 1_000],
    ] as const)
      assert.equal(spentBy(bytes).tokens - input, output, bytes.slice(0, 60));
    assert.equal(spentBy('{}', { textLength: undefined }).tokens - input, 1_000);
    const usage = { prompt_tokens: 10, completion_tokens: 0 };
    assert.equal(spentBy(JSON.stringify({ choices: [{ finish_reason: 'stop' }], usage })).tokens, 10);
  });

  it('of a reply whose report is too small for its text follow from its text', () => {
    const planned = createPlan('{"max_tokens":100000}');
    for (const reported of [1, 20, 400]) {
      const usage = { prompt_tokens: 10, completion_tokens: reported };
      for (const bytes of [
        createChunk('word ').repeat(3_000) + createEvent({ choices: [], usage }),
        createChunk('word '.repeat(3_000)) + createEvent({ choices: [], usage }),
        JSON.stringify({ choices: [{ index: 0, message: { content: 'word '.repeat(3_000) } }], usage }),
      ])
        assert.equal(
          computeSpentAmount(planned, readSize(bytes)).tokens,
          10 + 15_000 / 8,
          bytes.slice(0, 60),
        );
    }
  });

  it('of a normal reply are exactly those that it reports', () => {
    const tools = Array.from({ length: 100 }, () => ({ name: 'read', description: 'x'.repeat(200) }));
    const results = [{ type: 'url_citation', url_citation: { content: 'x'.repeat(50_000) } }];
    for (const [bytes, output] of [
      [createChunk('Hi'), 1],
      [createEvent({ response: { tools } }).repeat(3) + createChunk('Hi'), 1],
      [createChunk('a', { logprobs: 'x'.repeat(2_000) }).repeat(500), 500],
      [createEvent({ result: 'A'.repeat(4_000_000) }), 60],
      [createEvent({ choices: [{ index: 0, delta: { annotations: results } }] }), 60],
      [': keep-alive\n\n'.repeat(500) + createChunk('Hi'), 1],
    ] as const) {
      const usage = { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output };
      const size = readSize(bytes + createEvent({ choices: [], usage }));
      assert.equal(computeSpentAmount(createPlan('{}'), size).tokens, 10 + output, bytes.slice(0, 40));
    }
  });

  it('of a reply are never less than it reports, nor free because its report is wrong', () => {
    const usage = (...reports: readonly string[]) =>
      reports.map((each) => `data: {"choices":[],"usage":${each}}`).join('\n\n');
    const half = '"prompt_tokens":10,"completion_tokens":500';
    const text = createChunk('x'.repeat(2_000));
    for (const [reply, tokens, dollars] of [
      [usage(`{${half}}`), 510, 0.5],
      [usage(`{${half},"prompt_tokens_details":{"cached_tokens":50000}}`), 50_510, 0.505],
      [usage(`{${half},"cost":3}`, `{${half},"cost":0.001}`), 510, 3],
      [usage(`{${half},"cost":-3}`), 510, 0.5],
      [usage(`{${half},"cost":1e-9}`), 510, 0.5],
      [usage(`{${half},"cost":"0.0001"}`), 510, 0.5],
      [usage(`{${half}}`, `{"prompt_tokens":10,"completion_tokens":0}`), 510, 0.5],
      [text + usage('{"prompt_tokens":10,"completion_tokens":0}'), 500, 0.5],
      [text + usage('{"prompt_tokens":"10","completion_tokens":"500"}'), 500, 0.5],
      [text + usage('{"prompt_tokens":1e300,"completion_tokens":1e300}'), 500, 0.5],
      [text, 500, 0.5],
      [usage('{"prompt_tokens":10,"completion_tokens":10,"total_tokens":9000}'), 9_000, 0.01],
      [usage('{"total_tokens":9000}'), 9_000, 0],
      [usage(`{${half}}`, ...['', '', ''].map(() => '{"prompt_tokens":1,"completion_tokens":1}')), 510, 0.5],
    ] as const) {
      const spent = spentBy(reply);
      assert.ok(spent.tokens >= tokens, `${reply}: ${spent.tokens}`);
      assert.ok((spent.amount ?? 0) >= dollars * 1e9, `${reply}: ${spent.amount}`);
    }
  });
});
