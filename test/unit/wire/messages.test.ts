import assert from 'node:assert/strict';
import { MessagesDecoder } from '../../../src/wire/apis/messages/readReply.ts';
import { DecodedReply, maxReplyLength } from '../../../src/wire/stream/decodedReply.ts';
import { assertSurvives } from './hostileJson.ts';
import { describeRecordings } from './recordedStreams.ts';
import { decodeWith } from './streamFixtures.ts';

const start = '{"type":"message_start","message":{"id":"msg_1","model":"m"}}';

function decode(...payloads: readonly (object | string)[]) {
  const lines = payloads.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`);
  return decodeWith(new MessagesDecoder(), Buffer.from(lines.join('')));
}

const textDelta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});

describe('messages replies', () => {
  describeRecordings({ name: 'messages', reader: () => new MessagesDecoder(), endMark: /"message_stop"/ });

  it('end as soon as message_stop is read', () => {
    const reply = new DecodedReply(new MessagesDecoder());
    reply.read({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
    assert.equal(reply.hasEnded, false);
    reply.read({ type: 'message_stop' });
    assert.equal(reply.hasEnded, true);
  });

  it('count the input once if several events report it', () => {
    const { events } = decode(
      '{"type":"message_start","message":{"usage":{"input_tokens":0,"output_tokens":0}}}',
      '{"type":"message_delta","delta":{},"usage":{"input_tokens":11,"output_tokens":2}}',
      '{"type":"message_delta","delta":{},"usage":{"input_tokens":0,"output_tokens":5}}',
    );
    assert.deepEqual(events.at(-1), {
      type: 'usage',
      usage: { inputTokens: 11, outputTokens: 5, totalTokens: 16 },
    });
  });

  it('D12 are rejected above 33,554,432 characters, and the preceding text is kept', () => {
    const piece = textDelta('x'.repeat(1 << 20));
    const { events, end } = decode(start, ...Array(maxReplyLength >> 20).fill(piece), textDelta('x'));
    assert.equal(end.failure?.reason, 'too-large');
    assert.equal(events.filter(({ type }) => type === 'text').length, (maxReplyLength >> 20) + 1);
  });

  it('fail with the reason too-large if they call thousands of tools', () => {
    const calls = Array.from({ length: 5000 }, (_, index) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `t${index}`, name: 'n', input: {} },
    }));
    const { end } = decode(start, ...calls, '{"type":"message_stop"}');
    assert.deepEqual([end.kind, end.failure?.reason], ['failed', 'too-large']);
  });

  it('F60 may have an input that is nested too deeply to be written again', () => {
    const input = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const block = `{"type":"tool_use","id":"t","name":"n","input":${input}}`;
    const { end } = decode(`{"type":"message","content":[${block}],"stop_reason":"tool_use"}`);
    assert.equal(end.kind, 'complete');
  });

  it('T24 F60 do not crash the decoder or reach a prototype with any JSON', () => {
    const members = [
      'type',
      'index',
      'content_block',
      'delta',
      'message',
      'usage',
      'content',
      'error',
      'input',
    ];
    const types = [
      'message',
      'message_start',
      'content_block_start',
      'content_block_delta',
      'message_delta',
      'tool_use',
      'text',
    ];
    assertSurvives(() => new MessagesDecoder(), members, types);
  });
});
