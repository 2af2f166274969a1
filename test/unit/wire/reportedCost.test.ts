import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/base/json.ts';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { InteractionsDecoder } from '../../../src/wire/apis/interactions/readReply.ts';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import { readHeaderCost, readReportedCost } from '../../../src/wire/reportedCost.ts';
import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith } from './streamFixtures.ts';

/** The last tokens and cost that a stream of these payloads reports. */
function readUsageAndCost(format: FormatDecoder, ...payloads: readonly object[]) {
  const bytes = payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('');
  const { events } = decodeWith(format, Buffer.from(bytes));
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  const cost = events.findLast((event) => event.type === 'cost')?.usd;
  return { usage, cost };
}

/** The last service tier that a stream of these payloads reports. */
function readServiceTier(format: FormatDecoder, ...payloads: readonly object[]): string | undefined {
  const bytes = payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('');
  const { events } = decodeWith(format, Buffer.from(bytes));
  return events.findLast((event) => event.type === 'serviceTier')?.name;
}

describe('the service tier of a reply', () => {
  it('is read from every chunk of chat completions or from the usage, and reported once', () => {
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }], service_tier: 'flex' };
    assert.equal(readServiceTier(new ChatCompletionsDecoder(), chunk, chunk), 'flex');
    const usage = { prompt_tokens: 1, completion_tokens: 1, service_tier: 'priority' };
    assert.equal(readServiceTier(new ChatCompletionsDecoder(), { choices: [], usage }), 'priority');
    const { events } = decodeWith(
      new ChatCompletionsDecoder(),
      Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`.repeat(9)),
    );
    assert.equal(events.filter(({ type }) => type === 'serviceTier').length, 1);
  });

  it('is read from the finished response only', () => {
    const response = { id: 'r', status: 'in_progress', service_tier: 'priority' };
    const created = { type: 'response.created', response };
    const completed = {
      type: 'response.completed',
      response: { ...response, status: 'completed', service_tier: 'default', output: [] },
    };
    assert.equal(readServiceTier(new ResponsesDecoder(), created), undefined);
    assert.equal(readServiceTier(new ResponsesDecoder(), created, completed), 'default');
  });

  it('is read from the usage of messages, and is “fast” in the fast mode', () => {
    const start = (usage: object) => ({ type: 'message_start', message: { id: 'm', usage } });
    const tokens = { input_tokens: 3, output_tokens: 1, service_tier: 'standard' };
    assert.equal(readServiceTier(new MessagesDecoder(), start(tokens)), 'standard');
    assert.equal(
      readServiceTier(new MessagesDecoder(), start({ ...tokens, service_tier: 'batch' })),
      'batch',
    );
    assert.equal(readServiceTier(new MessagesDecoder(), start({ ...tokens, speed: 'fast' })), 'fast');
  });

  it('is read from Gemini as a tier or as a traffic type', () => {
    const usageMetadata = { promptTokenCount: 1, trafficType: 'ON_DEMAND_PRIORITY' };
    const candidates = [{ content: { parts: [{ text: 'Hi' }] } }];
    assert.equal(
      readServiceTier(new ContentGenerationDecoder(), { candidates, usageMetadata }),
      'ON_DEMAND_PRIORITY',
    );
    const interaction = { id: 'i', status: 'completed', service_tier: 'flex', outputs: [] };
    const completed = { event_type: 'interaction.complete', interaction };
    assert.equal(readServiceTier(new InteractionsDecoder(), completed), 'flex');
  });

  it('is undefined if it is not text, and cut if it is long', () => {
    for (const service_tier of [null, '', 7, {}, ['flex']]) {
      assert.equal(readServiceTier(new ChatCompletionsDecoder(), { choices: [], service_tier }), undefined);
    }
    const long = readServiceTier(new ChatCompletionsDecoder(), {
      choices: [],
      service_tier: 'x'.repeat(1e5),
    });
    assert.equal(long?.length, 64);
  });
});

describe('the reported tokens and cost', () => {
  it('are read from the last chunk of chat completions', () => {
    const usage = {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 1 },
      cost_details: { upstream_inference_cost: null },
    };
    const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'm' };
    const reading = readUsageAndCost(
      new ChatCompletionsDecoder(),
      { ...chunk, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], usage: null },
      { ...chunk, choices: [], usage },
    );
    assert.deepEqual(reading, {
      usage: {
        inputTokens: 194,
        outputTokens: 2,
        totalTokens: 196,
        reasoningTokens: 1,
        cachedTokens: 20,
        cacheWriteTokens: 100,
      },
      cost: 0.95,
    });
  });

  it('are read under the alternative names of chat completions', () => {
    const cached = (usage: object) =>
      readUsageAndCost(new ChatCompletionsDecoder(), { choices: [], usage: { prompt_tokens: 9, ...usage } })
        .usage;
    assert.equal(cached({ prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5 })?.cachedTokens, 4);
    assert.equal(cached({ cached_tokens: 4 })?.cachedTokens, 4);
    const claude = cached({ cache_read_input_tokens: 3, cache_creation_input_tokens: 2 });
    assert.deepEqual([claude?.cachedTokens, claude?.cacheWriteTokens], [3, 2]);
  });

  it('are read from the events of messages', () => {
    const reading = readUsageAndCost(
      new MessagesDecoder(),
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'm',
          usage: {
            input_tokens: 12,
            output_tokens: 1,
            cache_creation_input_tokens: 30,
            cache_read_input_tokens: 50,
          },
        },
      },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 3, cost: 0.0021 },
      },
      { type: 'message_stop' },
    );
    assert.deepEqual(reading, {
      usage: {
        inputTokens: 92,
        outputTokens: 3,
        totalTokens: 95,
        cachedTokens: 50,
        cacheWriteTokens: 30,
      },
      cost: 0.0021,
    });
  });

  it('are read from the end of responses', () => {
    const usage = {
      input_tokens: 30,
      output_tokens: 10,
      total_tokens: 40,
      cost_in_usd_ticks: 37_756_000,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
    };
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [], usage };
    const { usage: counts, cost } = readUsageAndCost(new ResponsesDecoder(), {
      type: 'response.completed',
      response,
    });
    assert.deepEqual([counts?.cachedTokens, counts?.cacheWriteTokens, cost], [8, 4, 0.0037756]);
  });

  it('are read from the events of content generation', () => {
    const reading = readUsageAndCost(new ContentGenerationDecoder(), {
      candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 40,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 3,
        totalTokenCount: 45,
        cachedContentTokenCount: 16,
        cost: '0.0004',
      },
    });
    assert.deepEqual(reading, {
      usage: { inputTokens: 40, outputTokens: 5, totalTokens: 45, reasoningTokens: 3, cachedTokens: 16 },
      cost: 0.0004,
    });
  });

  it('are read from the end of interactions', () => {
    const usage = { total_input_tokens: 7, total_output_tokens: 2, total_cached_tokens: 5, cost: 0.0001 };
    const steps = [{ type: 'model_output', content: [{ type: 'text', text: 'Hi' }] }];
    const interaction = { id: 'v1_x', status: 'completed', steps, usage };
    const { usage: counts, cost } = readUsageAndCost(new InteractionsDecoder(), {
      event_type: 'interaction.completed',
      interaction,
    });
    assert.deepEqual([counts?.cachedTokens, cost], [5, 0.0001]);
  });

  it('are separate from other charged units', () => {
    const counts = (decoder: FormatDecoder, payload: JsonObject) => {
      const { inputTokens, outputTokens, cacheHourTokens, otherUnits } =
        readUsageAndCost(decoder, payload).usage ?? {};
      return [inputTokens, outputTokens, cacheHourTokens, otherUnits];
    };
    const chat = (usage: JsonObject) => counts(new ChatCompletionsDecoder(), { choices: [], usage });
    const both = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    assert.deepEqual(chat(both), [10, 5, undefined, undefined]);
    assert.deepEqual(chat({ ...both, completion_tokens_details: { audio_tokens: 3, image_tokens: 0 } }), [
      10,
      5,
      undefined,
      3,
    ]);
    assert.deepEqual(
      chat({ ...both, num_sources_used: 2, cache_creation: { ephemeral_1h_input_tokens: 4 } }),
      [10, 5, 4, 2],
    );
    // xAI counts reasoning tokens in addition to the output, other providers within it.
    const reasoning = { completion_tokens_details: { reasoning_tokens: 4 } };
    assert.deepEqual(chat({ ...both, ...reasoning }), [10, 5, undefined, undefined]);
    assert.deepEqual(chat({ ...both, ...reasoning, total_tokens: 19 }), [10, 9, undefined, undefined]);

    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 6,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 4 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    };
    const message = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [],
      stop_reason: 'end_turn',
      usage,
    };
    assert.deepEqual(counts(new MessagesDecoder(), message), [16, 5, 4, 2]);

    const output = [{ type: 'web_search_call' }, { type: 'message' }, { type: 'image_generation_call' }];
    const response = {
      object: 'response',
      status: 'completed',
      output,
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    assert.deepEqual(counts(new ResponsesDecoder(), response), [10, 5, undefined, 2]);

    const generated = {
      candidates: [{ finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['kites'] } }],
      usageMetadata: {
        promptTokenCount: 10,
        toolUsePromptTokenCount: 7,
        candidatesTokenCount: 5,
        promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
        candidatesTokensDetails: [
          { modality: 'TEXT', tokenCount: 1 },
          { modality: 'IMAGE', tokenCount: 4 },
        ],
      },
    };
    assert.deepEqual(counts(new ContentGenerationDecoder(), generated), [17, 5, undefined, 5]);

    const interaction = {
      object: 'interaction',
      status: 'completed',
      steps: [],
      usage: {
        total_input_tokens: 10,
        total_tool_use_tokens: 7,
        total_output_tokens: 5,
        output_tokens_by_modality: [{ modality: 'image', tokens: 4 }],
        grounding_tool_count: [{ type: 'google_search', count: 2 }],
      },
    };
    assert.deepEqual(counts(new InteractionsDecoder(), interaction), [17, 5, undefined, 6]);
  });

  it('are undefined, never 0, for an invalid cost', () => {
    const amounts: readonly unknown[] = [
      null,
      undefined,
      '',
      ' ',
      'free',
      'NaN',
      '-1',
      '1e999',
      '0x10',
      true,
      [],
      {},
      [0.1],
      -0.01,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      JSON.parse('1e999'),
      1e9,
      { total_cost: 'much' },
    ];
    for (const cost of amounts) assert.equal(readReportedCost({ cost }), undefined, String(cost));
    for (const ticks of [-1, Number.POSITIVE_INFINITY, 'many', null]) {
      assert.equal(readReportedCost({ cost_in_usd_ticks: ticks }), undefined);
    }
    assert.equal(readReportedCost({ cost: 0 }), 0);
    assert.equal(readReportedCost({ cost: { total_cost: 0.006, input_tokens_cost: 0.001 } }), 0.006);
  });

  it('include the provider’s charge for the user’s own key', () => {
    const usage = { cost: 0.001, cost_details: { upstream_inference_cost: 0.02 } };
    assert.equal(readReportedCost({ ...usage, is_byok: true }), 0.021);
    assert.equal(readReportedCost({ ...usage, is_byok: false }), 0.001);
  });

  it('include the cost from a header, where 0 means not priced yet', () => {
    assert.equal(readHeaderCost({ 'x-litellm-response-cost': '0.000415' }), 0.000415);
    assert.equal(readHeaderCost({ 'x-litellm-response-cost': '5.5e-06' }), 5.5e-6);
    for (const value of ['0.0', 'None', '-1', '1e999', '']) {
      assert.equal(readHeaderCost({ 'x-litellm-response-cost': value }), undefined, value);
    }
    assert.equal(readHeaderCost({}), undefined);
  });

  it('omit negative and infinite counts', () => {
    const usage = { prompt_tokens: -5, completion_tokens: 7, total_tokens: JSON.parse('1e999') };
    assert.deepEqual(readUsageAndCost(new ChatCompletionsDecoder(), { choices: [], usage }).usage, {
      outputTokens: 7,
    });
  });
});
