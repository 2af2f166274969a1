import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChunkParser } from '../../../src/wire/shapes/chatCompletionsParser.ts';

const spaced = (value: unknown) => JSON.stringify(value, null, 1);
const compact = (value: unknown) => JSON.stringify(value);

/** Chunks that differ in their text alone, and now and then in more. */
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

describe('the parser of repeated chunks', () => {
  it('says what JSON.parse says, whatever came before', () => {
    fc.assert(
      fc.property(chunks, (sequence) => {
        const parser = new ChunkParser();
        for (const { write, chunk } of sequence) {
          const json = write(chunk);
          assert.deepEqual(parser.parse(json), JSON.parse(json));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('F53 finds a fault in a chunk that looks like the one before', () => {
    const parser = new ChunkParser();
    const chunk = (text: string) => `{"choices":[{"delta":{"content":"${text}"}}]}`;
    assert.deepEqual(parser.parse(chunk('a')), { choices: [{ delta: { content: 'a' } }] });
    for (const broken of ['a"b', 'a\\', 'a\nb', 'a\\x']) assert.equal(parser.parse(chunk(broken)), undefined);
    assert.deepEqual(parser.parse(chunk('b')), { choices: [{ delta: { content: 'b' } }] });
  });
});
