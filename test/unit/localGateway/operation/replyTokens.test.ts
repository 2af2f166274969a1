import assert from 'node:assert/strict';
import { ReplyTokens } from '../../../../src/localGateway/server/replyTokens.ts';

describe('the tokens that a reply reports', () => {
  const replies: readonly (readonly [replyName: string, text: string, tokens: object | undefined])[] = [
    [
      'a whole chat completion',
      '{"id":"1","choices":[{"message":{"content":"\\"usage\\":{\\"prompt_tokens\\":99}"}}],"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}',
      { inputTokens: 5, outputTokens: 7, cachedTokens: 1 },
    ],
    [
      'a streamed chat completion',
      'data: {"choices":[],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\ndata: [DONE]\n\n',
      { inputTokens: 5, outputTokens: 7 },
    ],
    [
      'content generation',
      'data: {"candidates":[],"usageMetadata":{"promptTokenCount":4}}\n\ndata: {"usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 6, "thoughtsTokenCount": 2}}\n\n',
      { inputTokens: 4, outputTokens: 8, reasoningTokens: 2 },
    ],
    [
      'messages, which report the input at the start',
      `event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":3,"output_tokens":1}}}\n\n${': x\n'.repeat(9_000)}event: message_delta\ndata: {"usage":{"output_tokens":20}}\n\n`,
      { inputTokens: 12, outputTokens: 20, cachedTokens: 3 },
    ],
    [
      'responses',
      'data: {"type":"response.completed","response":{"output":[],"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":0},"output_tokens":2}}}\n\n',
      { inputTokens: 3, outputTokens: 2, cachedTokens: 0 },
    ],
    [
      'messages that write to the cache',
      '{"usage":{"input_tokens":2,"cache_creation_input_tokens":5,"output_tokens":1}}',
      { inputTokens: 7, outputTokens: 1, cacheWriteTokens: 5 },
    ],
    [
      'messages with an advisor, whose tokens the sums omit',
      `{"usage":{"input_tokens":4,"output_tokens":30,"iterations":[${[
        '{"type":"message","input_tokens":2,"output_tokens":10}',
        '{"type":"advisor_message","model":"big","input_tokens":9000,"cache_read_input_tokens":5,"output_tokens":500}',
        '{"type":"message","input_tokens":2,"output_tokens":20}',
      ].join()}]}}`,
      { inputTokens: 9_009, outputTokens: 530, cachedTokens: 5 },
    ],
    [
      'a reply with its cost',
      '{"usage":{"prompt_tokens":5,"completion_tokens":7,"cost":0.25}}',
      { inputTokens: 5, outputTokens: 7, costUsd: 0.25 },
    ],
    [
      'reports that shrink',
      'data: {"usage":{"prompt_tokens":5,"completion_tokens":700}}\n\ndata: {"usage":{"prompt_tokens":1,"completion_tokens":7}}\n\n',
      { inputTokens: 5, outputTokens: 700 },
    ],
    [
      'several reports that shrink',
      `data: {"usage":{"prompt_tokens":9000,"completion_tokens":5000}}\n\n${'data: {"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n'.repeat(3)}`,
      { inputTokens: 9_000, outputTokens: 5_000 },
    ],
    [
      'a report at the start that shrinks in a long reply',
      `data: {"usage":{"prompt_tokens":9000,"completion_tokens":5000}}\n\n${': x\n'.repeat(9_000)}data: {"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n`,
      { inputTokens: 9_000, outputTokens: 5_000 },
    ],
    ['only a sum', '{"usage":{"total_tokens":9000}}', { totalTokens: 9_000 }],
    [
      'interactions, whose output is without the thoughts',
      '{"usage":{"total_input_tokens":10,"total_tool_use_tokens":7,"total_output_tokens":50,"total_thought_tokens":5000}}',
      { inputTokens: 17, outputTokens: 5050, reasoningTokens: 5000 },
    ],
    [
      'xAI, whose output is without the reasoning',
      '{"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":112,"completion_tokens_details":{"reasoning_tokens":100}}}',
      { inputTokens: 5, outputTokens: 107, reasoningTokens: 100 },
    ],
    [
      'tools of content generation',
      '{"usageMetadata":{"promptTokenCount":4,"toolUsePromptTokenCount":30,"candidatesTokenCount":6}}',
      { inputTokens: 34, outputTokens: 6 },
    ],
    [
      'a short stream of messages, which reports the cache only at its start',
      'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":30,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":4},"output_tokens":1}}}\n\ndata: {"type":"message_delta","usage":{"output_tokens":20}}\n\n',
      { inputTokens: 44, outputTokens: 20, cachedTokens: 30, cacheWriteTokens: 5, cacheHourTokens: 4 },
    ],
    [
      'messages whose end repeats the counts, without the lifetimes of the cache',
      `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":4},"output_tokens":1}}}\n\n${': x\n'.repeat(9_000)}data: {"type":"message_delta","usage":{"input_tokens":9,"cache_creation_input_tokens":5,"output_tokens":20}}\n\n`,
      { inputTokens: 14, outputTokens: 20, cacheWriteTokens: 5, cacheHourTokens: 4 },
    ],
    [
      'messages that end without a report, so that their output is unknown',
      'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\ndata: {"type":"message_stop"}\n\n',
      { inputTokens: 9 },
    ],
    [
      'a relay that writes to the cache',
      '{"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cache_write_tokens":3}}}',
      { inputTokens: 5, outputTokens: 7, cacheWriteTokens: 3 },
    ],
    [
      'a service tier next to the counts',
      '{"service_tier":"priority","usage":{"prompt_tokens":5,"completion_tokens":7}}',
      { inputTokens: 5, outputTokens: 7, service: 'priority' },
    ],
    [
      'a service tier within the counts',
      '{"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":6,"trafficType":"ON_DEMAND_FLEX"}}',
      { inputTokens: 4, outputTokens: 6, service: 'flex' },
    ],
    [
      'a service tier in a text',
      '{"content":"\\"service_tier\\":\\"priority\\"","usage":{"prompt_tokens":5,"completion_tokens":7}}',
      { inputTokens: 5, outputTokens: 7 },
    ],
    ['a reply that reports none', '{"choices":[]}', undefined],
    ['an invalid count', '{"usage":{"prompt_tokens":-1,"completion_tokens":"7"}}', undefined],
    [
      'a fraction',
      '{"usage":{"prompt_tokens":4.6,"completion_tokens":0.2}}',
      { inputTokens: 5, outputTokens: 0 },
    ],
    [
      'an impossible count',
      '{"usage":{"prompt_tokens":9007199254740991,"completion_tokens":1e19}}',
      undefined,
    ],
    ['an object that does not end', `{"usage":{${'{'.repeat(9_000)}`, undefined],
  ];
  for (const [replyName, text, tokens] of replies) {
    it(`are read from ${replyName}, for any split`, () => {
      for (const size of [1, 7, 1_000, text.length]) {
        const reader = new ReplyTokens();
        for (let at = 0; at < text.length; at += size) reader.add(Buffer.from(text.slice(at, at + size)));
        assert.deepEqual(reader.reported, tokens, `in pieces of ${size}`);
      }
    });
  }

  it('are read with bounded memory from a long reply', () => {
    const reader = new ReplyTokens();
    const chunk = Buffer.alloc(64 * 1024, 'x');
    for (let i = 0; i < 1_000; i++) reader.add(chunk);
    reader.add('{"usage":{"prompt_tokens":5}}');
    assert.deepEqual(reader.reported, { inputTokens: 5 });
  });
});
