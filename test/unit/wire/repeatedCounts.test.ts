import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findChangingPart } from '../../../src/wire/apis/contentGeneration/readReply.ts';
import { parseCalls } from '../../../src/wire/apis/shared/messageParts.ts';
import { RepeatingParser } from './repeatingParser.ts';

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(' plain', '"', '\\', '\\"', '","text":"y', '"text":"', '\n', 'é 懶狗', '', null),
);
const counts = fc.oneof(fc.nat(), fc.constantFrom(0, -1, 0.5, 1e21, 12_345_678_901_234, null, '7'));

/** Events that usually differ only in their text and counts, and sometimes in more. */
const events = fc.array(
  fc.record({
    indent: fc.constantFrom(0, 0, 0, 1),
    event: fc.record(
      {
        candidates: fc.array(
          fc.record(
            {
              content: fc.record({
                parts: fc.array(
                  fc.record({ text: texts, thought: fc.constant(true) }, { requiredKeys: ['text'] }),
                  { minLength: 1, maxLength: 2 },
                ),
              }),
              finishReason: fc.constantFrom('STOP', 'text'),
              index: fc.constantFrom(0, 0, 1),
            },
            { requiredKeys: ['content', 'index'] },
          ),
          { minLength: 1, maxLength: 1 },
        ),
        usageMetadata: fc.record(
          {
            promptTokenCount: counts,
            candidatesTokenCount: counts,
            totalTokenCount: counts,
            promptTokensDetails: fc.array(fc.record({ modality: fc.constant('TEXT'), tokenCount: counts }), {
              maxLength: 1,
            }),
          },
          { requiredKeys: ['promptTokenCount', 'candidatesTokenCount'] },
        ),
        modelVersion: fc.constantFrom('a', 'a', 'text'),
      },
      { requiredKeys: ['candidates'] },
    ),
  }),
  { minLength: 2, maxLength: 20 },
);

const event = (text: string, count: string) =>
  `{"candidates":[{"content":{"parts":[{"text":"${text}"}]}}],"usageMetadata":{"totalTokenCount":${count}}}`;
const value = (text: string, totalTokenCount: number) => ({
  candidates: [{ content: { parts: [{ text }] } }],
  usageMetadata: { totalTokenCount },
});

const createParser = () => new RepeatingParser(findChangingPart, parseCalls);

describe('the parser of repeated events with counts', () => {
  it('returns the same as JSON.parse, for any earlier events', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const parser = createParser();
        for (const { indent, event } of sequence) {
          const json = JSON.stringify(event, null, indent);
          assert.deepEqual(parser.parse(json), JSON.parse(json));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('F53 rejects an invalid event that looks like the previous one', () => {
    const parser = createParser();
    assert.deepEqual(parser.parse(event('a', '1')), value('a', 1));
    for (const text of ['a"b', 'a\\', 'a\nb', 'a\\x']) {
      assert.equal(parser.parse(event(text, '1')), undefined, text);
    }
    for (const count of ['', '01', '1.', '1e', '-', '+1', '1 2', 'x']) {
      assert.equal(parser.parse(event('a', count)), undefined, count);
    }
    for (const broken of [event('a', '1').slice(0, -1), `${event('a', '1')}}`]) {
      assert.equal(parser.parse(broken), undefined, broken);
    }
    assert.deepEqual(parser.parse(event('b\\n', '1e3')), value('b\n', 1000));
    assert.deepEqual(parser.parse(event('c', '20')), value('c', 20));
  });

  it('reads numbers in any notation, and counts whose names occur elsewhere', () => {
    const parser = createParser();
    for (const count of ['1e3', '2e3', '3.0', '4.0', '5', '6.5', '7']) {
      assert.deepEqual(parser.parse(event('a', count)), value('a', Number(count)), count);
    }
    const twice = (one: string, other: number) =>
      `{"other":{"totalTokenCount":${other}},${event('a', one).slice(1)}`;
    for (const [one, other] of [
      ['1.0', 1],
      ['1.0', 2],
    ] as const) {
      const json = twice(one, other);
      assert.deepEqual(createParser().parse(json), JSON.parse(json));
      assert.deepEqual(parser.parse(json), JSON.parse(json));
    }
  });

  it('still reuses its template after events of other forms', () => {
    const parser = createParser();
    for (let at = 0; at < 100; at++) {
      assert.deepEqual(parser.parse(event(`line ${at}\\n`, '1')), value(`line ${at}\n`, 1));
    }
    const first = parser.parse(event('a', '1'));
    assert.equal(parser.parse(event('b', '2')), first, 'it was parsed again');
  });

  it('F60 keeps the digits of numbers in the arguments of a call', () => {
    const json =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"id":12345678901234567890}}}]}}]}';
    assert.match(JSON.stringify(createParser().parse(json)), /12345678901234567890/);
  });
});
