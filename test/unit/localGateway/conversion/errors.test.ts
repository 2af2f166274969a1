import assert from 'node:assert/strict';
import { convertError } from '../../../../src/localGateway/conversion/conversion.ts';
import { createErrorBody } from '../../../../src/localGateway/http/errorReply.ts';
import { catchRefusal, convert, convertible, minimalRequests, names } from './conversions.ts';

/** The error bodies of each format, and the values read from them. */
const errorReplies = [
  {
    status: 429,
    body: '{"error":{"message":"Slower.","type":"requests","param":null,"code":"rate_limit_exceeded"}}',
    expected: ['Slower.', 'rate_limit_exceeded', undefined],
  },
  {
    status: 429,
    body: '[{"error":{"code":429,"message":"Slower.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay":"21.5s"}]}}]',
    expected: ['Slower.', 'RESOURCE_EXHAUSTED', '22'],
  },
  {
    status: 529,
    body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    expected: ['Overloaded', 'overloaded_error', undefined],
  },
  {
    status: 502,
    body: '<html><title>Bad gateway</title></html>',
    expected: ['Bad gateway', 'upstream_error', undefined],
  },
  { status: 500, body: '', expected: ['The upstream returned 500.', 'upstream_error', undefined] },
] as const;

describe('an error of an upstream', () => {
  for (const { status, body, expected } of errorReplies) {
    it(`keeps its status, message, code and retry delay: ${body.slice(0, 40)}`, () => {
      const error = convertError(status, body);
      assert.deepEqual([error.message, error.code, error.headers['retry-after']], expected);
      assert.equal(error.status, status);
      for (const format of convertible)
        assert.match(JSON.stringify(createErrorBody(error, format, 'r')), new RegExp(expected[0]), format);
    });
  }

  it('is reported to the caller as an error even if its status is 200', () => {
    const { convertReply } = convert('messages', 'chatCompletions', minimalRequests.messages);
    const bytes = Buffer.from('\n\n{"error":{"message":"Slower.","code":"rate_limit_exceeded"}}');
    const refusal = catchRefusal(() => convertReply(bytes, names));
    assert.deepEqual([refusal.status, refusal.message], [424, 'Slower.']);
  });

  it('is reported for a truncated reply', () => {
    const { convertReply } = convert('messages', 'chatCompletions', minimalRequests.messages);
    assert.equal(catchRefusal(() => convertReply(Buffer.from('{"choices":[{"index":0,'), names)).status, 424);
  });

  it('is reported for a reply that ended without text for an unusual reason', () => {
    const candidate = { content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, index: 0 };
    const broken = JSON.stringify({ candidates: [{ ...candidate, finishReason: 'LANGUAGE' }] });
    for (const from of convertible.filter((each) => each !== 'contentGeneration')) {
      const { convertReply, createStream } = convert(from, 'contentGeneration', minimalRequests[from]);
      const refusal = catchRefusal(() => convertReply(Buffer.from(broken), names));
      assert.deepEqual([refusal.status, refusal.code], [424, 'empty_reply']);
      assert.match(refusal.message, /returned an empty reply for the reason LANGUAGE/);
      const streamed = createStream(names);
      const text = streamed.write(Buffer.from(`data: ${broken}\n\n`)) + streamed.end();
      assert.match(text, /returned an empty reply for the reason LANGUAGE/);
      assert.equal(streamed.isCut, false);
    }
    const document = JSON.parse(broken.replace('"Hm."', '"Yes."').replace(',"thought":true', ''));
    const { convertReply } = convert('messages', 'contentGeneration', minimalRequests.messages);
    assert.match(
      JSON.stringify(convertReply(Buffer.from(JSON.stringify(document)), names)),
      /"text":"Yes\."/,
    );
  });

  it('is reported for a reply with an unreadable tool call, even after text', () => {
    const candidate = { content: { role: 'model', parts: [{ text: 'I look.' }] }, index: 0 };
    const finishReason = 'MALFORMED_FUNCTION_CALL';
    const broken = JSON.stringify({ candidates: [{ ...candidate, finishReason }] });
    for (const from of convertible.filter((each) => each !== 'contentGeneration')) {
      const { convertReply, createStream } = convert(from, 'contentGeneration', minimalRequests[from]);
      const refusal = catchRefusal(() => convertReply(Buffer.from(broken), names));
      assert.equal(refusal.status, 424);
      assert.match(refusal.message, /could not parse a tool call of the model \(MALFORMED_FUNCTION_CALL\)/);
      const streamed = createStream(names);
      const text = streamed.write(Buffer.from(`data: ${broken}\n\n`)) + streamed.end();
      assert.match(text, /I look\..*could not parse a tool call of the model \(MALFORMED_FUNCTION_CALL\)/s);
    }
  });
});

describe('the tokens of a reply', () => {
  it('include tokens written to a cache, in chat completions and responses', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 3,
      output_tokens: 9,
    };
    const content = [{ type: 'text', text: 'Hi' }];
    const message = { id: 'a', type: 'message', role: 'assistant', model: 'm', content, usage };
    const bytes = Buffer.from(JSON.stringify({ ...message, stop_reason: 'end_turn' }));
    const cached = { cached_tokens: 7, cache_write_tokens: 3 };
    const createUsage = (from: 'chatCompletions' | 'responses') =>
      (
        convert(from, 'messages', minimalRequests[from]).convertReply(bytes, names) as {
          usage: Record<string, unknown>;
        }
      ).usage;
    assert.deepEqual(createUsage('chatCompletions').prompt_tokens_details, cached);
    assert.deepEqual(createUsage('responses').input_tokens_details, cached);
  });
});

describe('a failure inside a converted stream', () => {
  it('keeps the preceding text in the output of responses', () => {
    const { createStream } = convert('responses', 'chatCompletions', minimalRequests.responses);
    const reply = createStream(names);
    const chunk = { id: 'r', model: 'm', choices: [{ index: 0, delta: { content: 'I begin.' } }] };
    const failure = { error: { message: 'It broke.', type: 'server_error' } };
    const bytes = [chunk, failure].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
    const text = reply.write(Buffer.from(bytes)) + reply.end();
    const [, last = ''] = /^data: (\{"type":"response\.failed".*)$/m.exec(text) ?? [];
    assert.partialDeepStrictEqual(JSON.parse(last).response, {
      status: 'failed',
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'I begin.' }] }],
    });
  });

  it('has the same code as in a whole reply if the prompt was blocked', () => {
    const blocked = JSON.stringify({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } });
    for (const from of convertible.filter((each) => each !== 'contentGeneration')) {
      const { convertReply, createStream } = convert(from, 'contentGeneration', minimalRequests[from]);
      const { code, status } = catchRefusal(() => convertReply(Buffer.from(blocked), names));
      const streamed = createStream(names);
      const text = streamed.write(Buffer.from(`data: ${blocked}\n\n`)) + streamed.end();
      assert.equal(status, 400);
      assert.match(text, new RegExp(`"(?:error_)?code":"${code}"`));
    }
  });
});
