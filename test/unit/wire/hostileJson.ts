import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { decodeWith } from './streamFixtures.ts';

const nesting = 10_000;

const nest = (open: string, inner: string, close: string) =>
  open.repeat(nesting) + inner + close.repeat(nesting);

/** JSON that is known to cause faults in parsers and in the code that reads their results. */
const values = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":1,"toJSON":1,"length":-1}',
  '["__proto__"]',
  '"__proto__"',
  '"constructor"',
  '"\\ud800"',
  '"\\u0000"',
  '""',
  '1e400',
  '-1',
  '0.5',
  '123456789012345678901234567890',
  'null',
  'true',
  '{}',
  '[]',
  '[[[]]]',
  '[null,{},[],"",0]',
  nest('[', '', ']'),
  nest('{"a":', '1', '}'),
];

/**
 * Decodes random payloads whose members have the given names and hostile values, as a stream and as one
 * document. The reader must not throw, hang or change a prototype.
 *
 * @param types words that identify a payload, or an object within it
 */
export function assertSurvives(
  reader: () => FormatDecoder,
  members: readonly string[],
  types: readonly string[],
): void {
  const name = fc.constantFrom(...members, 'id', 'model', '__proto__', 'constructor', 'prototype');
  const { payload } = fc.letrec<{ payload: string; value: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(...values), tie('payload')),
    payload: fc
      .tuple(fc.constantFrom(...types), fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }))
      .map(([type, fields]) => {
        const pairs = fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`);
        return `{${[`"type":${JSON.stringify(type)}`, ...pairs].join(',')}}`;
      }),
  }));

  fc.assert(
    fc.property(fc.array(payload, { minLength: 1, maxLength: 6 }), (payloads) => {
      decodeWith(reader(), Buffer.from(payloads.map((json) => `data: ${json}\n\n`).join('')));
      decodeWith(reader(), Buffer.from(payloads[0] ?? ''));
      assert.equal('polluted' in {}, false);
    }),
    { numRuns: 100 },
  );
}
