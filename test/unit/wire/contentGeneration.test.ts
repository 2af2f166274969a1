import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ContentGenerationDecoder } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { maxReplyLength } from '../../../src/wire/stream/decodedReply.ts';
import { maxEventLength } from '../../../src/wire/stream/sse.ts';
import { assertSurvives } from './hostileJson.ts';
import { describeRecordings } from './recordedStreams.ts';
import { decodeWith, type Reading } from './streamFixtures.ts';

const reader = () => new ContentGenerationDecoder();

function decode(...pieces: readonly string[]): Reading {
  return decodeWith(reader(), ...pieces.map((piece) => Buffer.from(piece)));
}

function candidate(parts: readonly object[], more: object = {}): string {
  return JSON.stringify({ candidates: [{ content: { parts }, ...more }] });
}

const joinText = ({ events }: Reading) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe('content generation replies', () => {
  describeRecordings({ name: 'contentGeneration', reader, endMark: /"finish_?reason"|\[DONE\]/i });

  it('F47 are complete only when every candidate has finished', () => {
    const first = `data: ${JSON.stringify({ candidates: [{ index: 0 }, { index: 1, finishReason: 'STOP' }] })}\n\n`;
    assert.equal(decode(first).end.kind, 'interrupted');
    assert.equal(decode(first, `data: ${candidate([], { finishReason: 'STOP' })}\n\n`).end.kind, 'complete');
  });

  it('map every known finish reason, and unknown ones to other', () => {
    const finish = (word: string) =>
      decode(`data: ${candidate([], { finishReason: word })}\n\n`).events.find(
        (event) => event.type === 'finish',
      );
    const reasons = {
      STOP: 'stop',
      MAX_TOKENS: 'length',
      SAFETY: 'content-filter',
      RECITATION: 'content-filter',
      BLOCKLIST: 'content-filter',
      PROHIBITED_CONTENT: 'content-filter',
      SPII: 'content-filter',
      IMAGE_SAFETY: 'content-filter',
      IMAGE_PROHIBITED_CONTENT: 'content-filter',
      IMAGE_RECITATION: 'content-filter',
      LANGUAGE: 'other',
      OTHER: 'other',
      MALFORMED_FUNCTION_CALL: 'other',
      UNEXPECTED_TOOL_CALL: 'other',
      TOO_MANY_TOOL_CALLS: 'other',
      NO_IMAGE: 'other',
      IMAGE_OTHER: 'other',
      CONTINUATION: 'other',
      SOMETHING_NEW: 'other',
    };
    for (const [raw, reason] of Object.entries(reasons)) {
      assert.deepEqual(finish(raw), { type: 'finish', choice: 0, reason, raw });
    }
    assert.equal(finish('FINISH_REASON_UNSPECIFIED'), undefined);
  });

  it('F40 keep any text for any split of a JSON array', () => {
    const anyText = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(), { maxLength: 6 }), fc.boolean(), (texts, offsets, pretty) => {
        const elements = texts.map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] }));
        const bytes = Buffer.from(JSON.stringify(elements, null, pretty ? 2 : 0));
        const ends = [
          ...offsets.map((offset) => offset % bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        assert.equal(joinText(decodeWith(reader(), ...pieces)), texts.join(''));
      }),
      { numRuns: 200 },
    );
  });

  it('F54 are rejected with an array element or a bare value above 8,388,608 characters', () => {
    const long = candidate([{ text: 'x'.repeat(maxEventLength) }]);
    for (const start of ['[', 'data: {}\n\n']) {
      const { end } = decode(start, long.slice(0, 1 << 20), long.slice(1 << 20));
      assert.equal(end.failure?.reason, 'too-large', start);
    }
  });

  it('D12 are rejected above 33,554,432 characters, and the preceding text is kept', () => {
    const piece = `data: ${candidate([{ text: 'x'.repeat(1 << 20) }])}\n\n`;
    const reading = decode(...Array<string>((maxReplyLength >> 20) + 1).fill(piece));
    assert.equal(reading.end.failure?.reason, 'too-large');
    assert.ok(joinText(reading).length >= maxReplyLength);
  });

  it('F55 may have a hundred thousand array elements in tiny chunks', () => {
    const element = `${candidate([{ text: 'x' }])},`;
    const body = `[${element.repeat(100_000)}`;
    const pieces = Array.from({ length: 1000 }, (_, at) => {
      const length = Math.ceil(body.length / 1000);
      return body.slice(at * length, (at + 1) * length);
    });
    assert.equal(joinText(decode(...pieces)).length, 100_000);
  });

  it('continue after a bare line that is not JSON', () => {
    const event = `data: ${candidate([{ text: 'Hi' }], { finishReason: 'STOP' })}\n\n`;
    assert.deepEqual(decode(`: hello\n[info] connected\n{not json}\n${event}`), {
      events: [
        { type: 'start' },
        { type: 'text', choice: 0, text: 'Hi' },
        { type: 'finish', choice: 0, reason: 'stop', raw: 'STOP' },
      ],
      end: { kind: 'complete' },
    });
  });

  it('F57 report the arguments of an unfinished call only when the call or the candidate ends', () => {
    const call = (functionCall: object) => `data: ${candidate([{ functionCall }])}\n\n`;
    const { events } = decode(
      call({ name: 'a', willContinue: true }),
      call({ partialArgs: [{ jsonPath: '$.x', numberValue: 1 }], willContinue: true }),
    );
    assert.deepEqual(events.slice(1), [{ type: 'toolCall', choice: 0, index: 0, name: 'a' }]);
  });

  it('T24 F60 do not crash the decoder or reach a prototype with any JSON', () => {
    const members = [
      'candidates',
      'content',
      'parts',
      'functionCall',
      'partialArgs',
      'finishReason',
      'usageMetadata',
      'promptFeedback',
      'groundingMetadata',
      'error',
    ];
    assertSurvives(reader, members, ['x']);
    const hostile = ['__proto__', 'constructor', 'prototype', 'toString', '0', '1e9', "'"];
    for (const name of hostile) {
      for (const jsonPath of [`$.${name}.x`, `$['${name}'].x`, `$[${name}]`, `$.a${'.b'.repeat(10_000)}`]) {
        const functionCall = { name: 'f', partialArgs: [{ jsonPath, boolValue: true }], [name]: 1 };
        decode(`data: ${candidate([{ functionCall }], { finishReason: 'STOP' })}\n\n`);
      }
    }
    assert.equal('x' in {}, false);
  });
});
