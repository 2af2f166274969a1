import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findChangingContent } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import { findChangingDelta } from '../../../src/wire/apis/messages/readReply.ts';
import { RepeatingParser } from './repeatingParser.ts';

const spaced = (value: unknown) => JSON.stringify(value, null, 1);
const compact = (value: unknown) => JSON.stringify(value);

/** Chunks that usually differ only in their text, and sometimes in more. */
const chunks = fc.array(
  fc.record({
    write: fc.constantFrom(spaced, compact, compact, compact),
    chunk: fc.record({
      id: fc.constantFrom('a', 'a', 'a', 'content'),
      choices: fc.array(
        fc.record({
          index: fc.constantFrom(0, 0, 0, 1),
          delta: fc.record(
            {
              role: fc.constant('assistant'),
              content: fc.oneof(
                fc.string(),
                fc.constantFrom(' plain', '"', '\\', '","x":"', '","content":"y', '\n', 'é', null),
              ),
            },
            { requiredKeys: ['content'] },
          ),
          finish_reason: fc.constantFrom(null, null, 'stop'),
        }),
        { minLength: 0, maxLength: 2 },
      ),
    }),
  }),
  { minLength: 2, maxLength: 20 },
);

/** The same events in the messages format. */
const deltas = fc.array(
  fc.record({
    write: fc.constantFrom(spaced, compact, compact, compact),
    event: fc.record({
      type: fc.constantFrom('content_block_delta', 'text', 'thinking'),
      index: fc.constantFrom(0, 0, 0, 1),
      delta: fc.record(
        {
          type: fc.constantFrom('text_delta', 'text_delta', 'thinking'),
          text: fc.oneof(fc.string(), fc.constantFrom(' plain', '"', '\\', '","text":"y', 'é', null)),
          thinking: fc.constantFrom('a', 'b', '"'),
        },
        { requiredKeys: ['type'] },
      ),
    }),
  }),
  { minLength: 2, maxLength: 20 },
);

describe('the parser of repeated events', () => {
  it('returns the same as JSON.parse, for any earlier events', () => {
    fc.assert(
      fc.property(chunks, (sequence) => {
        const parser = new RepeatingParser(findChangingContent);
        for (const { write, chunk } of sequence) {
          const json = write(chunk);
          assert.deepEqual(parser.parse(json), JSON.parse(json));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('returns the same as JSON.parse for the messages format', () => {
    fc.assert(
      fc.property(deltas, (sequence) => {
        const parser = new RepeatingParser(findChangingDelta);
        for (const { write, event } of sequence) {
          const json = write(event);
          assert.deepEqual(parser.parse(json), JSON.parse(json));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the changing member even if its name occurs elsewhere', () => {
    const parser = new RepeatingParser(findChangingDelta);
    for (const text of ['a', 'b']) {
      const json = `{"other":{"text":"${text}"},"delta":{"text":"a"}}`;
      assert.deepEqual(parser.parse(json), { other: { text }, delta: { text: 'a' } });
    }
  });

  it('finds the changing member even if its name has escapes', () => {
    const parser = new RepeatingParser(findChangingDelta);
    for (const text of ['a', 'b']) {
      const json = `{"delta":{"text":"${text}","te\\u0078t":"a"}}`;
      assert.deepEqual(parser.parse(json), { delta: { text: 'a' } });
    }
  });

  it('F53 rejects an invalid chunk that looks like the previous one', () => {
    const parser = new RepeatingParser(findChangingContent);
    const chunk = (text: string) => `{"choices":[{"delta":{"content":"${text}"}}]}`;
    assert.deepEqual(parser.parse(chunk('a')), { choices: [{ delta: { content: 'a' } }] });
    for (const broken of ['a"b', 'a\\', 'a\nb', 'a\\x']) assert.equal(parser.parse(chunk(broken)), undefined);
    assert.deepEqual(parser.parse(chunk('b')), { choices: [{ delta: { content: 'b' } }] });
  });
});
