import assert from 'node:assert/strict';
import { findConversion } from '../../../../src/localGateway/conversion/conversion.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { convert, directions, minimalRequests, names } from './conversions.ts';

/** Numbers that JavaScript reads as different numbers. */
const args = '{"id":12345678901234567890,"most":1e400,"least":-2.5E-400,"plain":1.5}';
const text = JSON.stringify(args);

/** A conversation with a call that was answered, as JSON text. */
const requests: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: `{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list","arguments":${text}}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]}`,
  contentGeneration: `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"list","args":${args}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"list","response":{"output":"ok"}}}]}]}`,
  messages: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"list","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]}`,
  responses: `{"model":"m","input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c1","name":"list","arguments":${text}},{"type":"function_call_output","call_id":"c1","output":"ok"}]}`,
};

/** A reply with a call, as JSON text. */
const replies: Readonly<Record<ConvertibleFormat, string>> = {
  chatCompletions: `{"id":"r","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list","arguments":${text}}}]},"finish_reason":"tool_calls"}]}`,
  contentGeneration: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"list","args":${args}}}]},"finishReason":"STOP"}]}`,
  messages: `{"id":"r","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"list","input":${args}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
  responses: `{"id":"r","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"function_call","id":"f","call_id":"c1","name":"list","arguments":${text},"status":"completed"}]}`,
};

/** Checks for the arguments in JSON text, or in JSON text within a string. */
function assertExactNumbers(written: string): void {
  const plain = written.replaceAll('\\"', '"');
  assert.ok(plain.includes(args), written);
}

describe('numbers beyond the range of JavaScript in the arguments of a call', () => {
  for (const { from, to } of directions) {
    it(`stay unchanged from ${from} to ${to}, and in the reply`, () => {
      const conversion = findConversion(from, to);
      assert.ok(conversion);
      assertExactNumbers(
        JSON.stringify(conversion.convertRequest(Buffer.from(requests[from]), { model: 'm' }).body),
      );
      const { convertReply, createStream } = convert(from, to, minimalRequests[from]);
      assertExactNumbers(JSON.stringify(convertReply(Buffer.from(replies[to]), names)));
      const streamed = createStream(names);
      const event = to === 'contentGeneration' ? `data: ${replies[to]}\n\n` : undefined;
      if (event) assertExactNumbers(streamed.write(Buffer.from(event)) + streamed.end());
    });
  }
});
