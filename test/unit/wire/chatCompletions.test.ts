import assert from 'node:assert/strict';
import fc from 'fast-check';
import { maxReplyLength } from '../../../src/wire/stream/decodedReply.ts';
import { maxEventLength } from '../../../src/wire/stream/sse.ts';
import { decode, type Reading, type StreamFixture, streamFixtures } from './streamFixtures.ts';

const fixtures = streamFixtures();

function createChunk(content: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
}

function joinText({ events }: Reading): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

function splitAt(bytes: Buffer, offsets: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...offsets.toSorted((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end));
}

describe('chat completions replies', () => {
  for (const { name, bytes, expected } of fixtures) {
    describe(name, () => {
      it('is decoded to the expected events', () => {
        assert.deepEqual(decode(bytes), expected);
      });

      it('P8 is decoded to the same events when it is split in two anywhere, or into bytes', () => {
        for (let at = 0; at <= bytes.length; at++) {
          assert.deepEqual(decode(bytes.subarray(0, at), bytes.subarray(at)), expected, `split at ${at}`);
        }
        assert.deepEqual(decode(...[...bytes].map((byte) => Uint8Array.of(byte))), expected);
      });

      it('P7 F51 is complete only after its end mark when it is cut anywhere, and keeps the content before the cut', () => {
        for (let at = 0; at < bytes.length; at++)
          assertCutReply(decode(bytes.subarray(0, at)), bytes, at, expected);
      });
    });
  }

  it('P8 are decoded to the same events for any split', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fixtures), fc.array(fc.nat(), { maxLength: 12 }), (fixture, offsets) => {
        const pieces = splitAt(
          fixture.bytes,
          offsets.map((offset) => offset % (fixture.bytes.length + 1)),
        );
        assert.deepEqual(decode(...pieces), fixture.expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('F40 keep any text for any split', () => {
    const anyText = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(), { maxLength: 6 }), (texts, offsets) => {
        const bytes = Buffer.from(`${texts.map((text) => createChunk(text)).join('')}data: [DONE]\n\n`);
        const pieces = splitAt(
          bytes,
          offsets.map((offset) => offset % bytes.length),
        );
        assert.equal(joinText(decode(...pieces)), texts.join(''));
      }),
      { numRuns: 1000 },
    );
  });

  it('F41 are decoded with replacement characters for invalid UTF-8', () => {
    const [before, after] = createChunk('a?b', 'stop').split('?');
    const reading = decode(Buffer.from(before ?? ''), Uint8Array.of(0xff, 0xc3), Buffer.from(after ?? ''));
    assert.equal(joinText(reading), 'a\ufffd\ufffdb');
    assert.equal(reading.end.kind, 'complete');
  });

  it('F48 end at the exact end mark, with or without further text', () => {
    const reading = decode(Buffer.from(`${createChunk('a')}data: [DONE]\n\n${createChunk('b')}`));
    assert.deepEqual([joinText(reading), reading.end.kind], ['a', 'complete']);
    for (const mark of ['[DONE]x', '[ DONE ]']) {
      const { end } = decode(Buffer.from(`${createChunk('a')}data: ${mark}\n\n`));
      assert.equal(end.failure?.kind, 'malformed-reply', mark);
    }
  });

  it('F53 do not quote a malformed event in the failure', () => {
    const { end } = decode(Buffer.from('data: {"choices":[{"delta":{"content":"the prompt"\n\n'));
    assert.equal(end.failure?.kind, 'malformed-reply');
    assert.doesNotMatch(JSON.stringify(end), /the prompt/);
  });

  it('F54 accept an event at the size limit and reject a larger one', () => {
    const envelope = JSON.stringify({
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
    });
    const sized = (length: number) =>
      Buffer.from(`data: ${envelope.replace('""', () => `"${'x'.repeat(length - envelope.length)}"`)}\n\n`);
    assert.equal(decode(sized(maxEventLength)).end.kind, 'complete');
    for (const over of [sized(maxEventLength + 1), sized(maxEventLength * 2).subarray(0, -2)]) {
      const pieces = splitAt(over, [1 << 20, 5 << 20]);
      assert.deepEqual(decode(...pieces).end, {
        kind: 'failed',
        failure: { kind: 'malformed-reply', reason: 'too-large' },
      });
    }
  });

  it('D12 are rejected above 33,554,432 characters, and the preceding text is kept', () => {
    const piece = createChunk('x'.repeat(1 << 20));
    const pieces = Array.from({ length: (maxReplyLength >> 20) + 1 }, () => Buffer.from(piece));
    const reading = decode(...pieces);
    assert.equal(reading.end.failure?.reason, 'too-large');
    assert.ok(joinText(reading).length >= maxReplyLength);
  });

  it('T24 F60 do not change prototypes, and may be deeply nested', () => {
    const hostile = [
      `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}}]}}]}`,
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"choices":[{"__proto__":{"polluted":1}}]}',
      `{"choices":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      '{"choices":[{"index":"__proto__","delta":{"tool_calls":[{"index":"__proto__","id":"__proto__"}]}}]}',
    ];
    decode(Buffer.from(hostile.map((json) => `data: ${json}\n\n`).join('')));
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  it('F55 may have a hundred thousand tiny events in one chunk', () => {
    const reading = decode(Buffer.from(`${createChunk('x').repeat(100_000)}data: [DONE]\n\n`));
    assert.equal(joinText(reading).length, 100_000);
  });
});

/** The content before the cut is reported, and only an end mark makes the reply complete. */
function assertCutReply(
  cut: Reading,
  bytes: Buffer,
  at: number,
  { events }: Pick<StreamFixture['expected'], 'events'>,
): void {
  assert.deepEqual(cut.events, events.slice(0, cut.events.length), `cut at ${at}`);
  if (cut.end.kind !== 'complete' && cut.end.kind !== 'truncated') return;
  const text = bytes.subarray(0, at).toString();
  const choices = new Set(cut.events.flatMap((event) => ('choice' in event ? event.choice : [])));
  const finishes = cut.events.filter((event) => event.type === 'finish');
  const isComplete = text.includes('[DONE]') || (choices.size > 0 && finishes.length === choices.size);
  assert.ok(isComplete, `complete at ${at} without an end mark`);
}
