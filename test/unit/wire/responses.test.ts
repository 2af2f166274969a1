import assert from 'node:assert/strict';
import { ResponsesDecoder } from '../../../src/wire/apis/responses/readReply.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import { DecodedReply, maxReplyLength } from '../../../src/wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../../src/wire/stream/replyDecoder.ts';
import { maxEventLength } from '../../../src/wire/stream/sse.ts';
import { assertSurvives } from './hostileJson.ts';
import { describeRecordings } from './recordedStreams.ts';
import { decodeWith } from './streamFixtures.ts';

function decode(...payloads: readonly object[]) {
  const lines = payloads.map((each) => `data: ${JSON.stringify(each)}\n\n`);
  return decodeWith(new ResponsesDecoder(), Buffer.from(lines.join('')));
}

function decodedResponse(response: object): DecodedReply {
  const reply = new DecodedReply(new ResponsesDecoder());
  reply.read({ object: 'response', ...response });
  return reply;
}

describe('responses replies', () => {
  describeRecordings({
    name: 'responses',
    reader: () => new ResponsesDecoder(),
    endMark: /"response\.(completed|incomplete)"/,
  });

  it('are pending while they are written in the background, and have not ended', () => {
    for (const status of ['queued', 'in_progress']) {
      const { isPending, hasEnded } = decodedResponse({ status });
      assert.deepEqual([isPending, hasEnded], [true, false]);
    }
    const { isPending, hasEnded } = decodedResponse({ status: 'completed' });
    assert.deepEqual([isPending, hasEnded], [false, true]);
  });

  const codes = {
    server_error: ['server'],
    vector_store_timeout: ['server'],
    rate_limit_exceeded: ['rate-limited'],
    invalid_prompt: ['invalid-parameters'],
    image_too_large: ['invalid-parameters'],
    data_residency_mismatch: ['invalid-parameters'],
    bio_policy: ['invalid-parameters', 'content-filter'],
    image_content_policy_violation: ['invalid-parameters', 'content-filter'],
  };
  for (const [code, [kind, reason]] of Object.entries(codes)) {
    it(`fail as ${kind} with ${code}`, () => {
      const response = { status: 'failed', error: { code, message: 'No' } };
      const { failure } = decode({ type: 'response.failed', response }).end;
      assert.deepEqual([failure?.kind, failure?.reason, failure?.gatewayMessage], [kind, reason, 'No']);
    });
  }

  it('F58 contain each numbered event at most once, for any gaps', () => {
    const numbers = [7, 3, 1_000_000_000, 5, 999_999_999, 7, 3];
    const { events } = decode(
      ...numbers.map((sequence_number) => ({
        type: 'response.output_text.delta',
        sequence_number,
        output_index: 0,
        delta: `${sequence_number},`,
      })),
    );
    const text = events.map((event) => ('text' in event ? event.text : '')).join('');
    assert.equal(text, '7,3,1000000000,5,');
  });

  it('D12 are rejected above 33,554,432 characters', () => {
    const event = { type: 'response.output_text.delta', output_index: 0, delta: 'x'.repeat(1 << 20) };
    const { end } = decode(...Array(maxReplyLength >> 20).fill(event), event);
    assert.equal(end.failure?.reason, 'too-large');
  });

  it('D12 are reported as possibly billed if one event with their tools exceeds 8 MiB', () => {
    const tools = [{ type: 'function', name: 'f', description: 'x'.repeat(maxEventLength) }];
    const event = { type: 'response.created', response: { status: 'in_progress', tools } };
    const decoder = new ReplyDecoder(new ResponsesDecoder());
    decoder.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    const conclusion = decoder.conclude();
    const explanation = 'failure' in conclusion ? conclusion.failure.explanation : undefined;
    assert.match(explanation ? inEnglish(explanation) : '', /larger than 8 MiB; .* may have been billed/);
  });

  it('fail with the reason too-large if they have thousands of items', () => {
    const calls = Array.from({ length: 5000 }, (_, output_index) => ({
      type: 'response.output_item.added',
      output_index,
      item: { type: 'function_call', call_id: `c${output_index}`, name: 'n' },
    }));
    assert.equal(decode(...calls).end.failure?.reason, 'too-large');
    const messages = calls.map((event) => ({ ...event, item: { type: 'message' } }));
    assert.equal(decode(...messages).end.failure?.reason, 'too-large');
  });

  it('T24 F60 do not crash the decoder or reach a prototype with any JSON', () => {
    const members = [
      'type',
      'sequence_number',
      'output_index',
      'item_id',
      'item',
      'delta',
      'annotation',
      'response',
      'output',
      'content',
      'summary',
      'status',
      'error',
      'usage',
      'arguments',
    ];
    const types = [
      'response.output_text.delta',
      'response.output_item.added',
      'response.output_item.done',
      'response.function_call_arguments.delta',
      'response.output_text.annotation.added',
      'response.completed',
      'response.failed',
      'function_call',
      'error',
    ];
    assertSurvives(() => new ResponsesDecoder(), members, types);
  });
});
