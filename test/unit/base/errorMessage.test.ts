import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorMessage } from '../../../src/base/errors.ts';

describe('the message of what was thrown', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const rows: readonly (readonly [what: string, thrown: unknown, message: string])[] = [
    ['an error', new Error('Words'), 'Words'],
    ['a failed fetch', new TypeError('fetch failed', { cause: refused }), refused.message],
    [
      'several addresses',
      Object.assign(new AggregateError([refused], ''), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    ['an error without words', new RangeError(), 'RangeError'],
    ['a text', 'Words', 'Words'],
    ['an object with a message', { message: 'Words' }, 'Words'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['nothing', undefined, 'undefined'],
  ];
  for (const [what, thrown, message] of rows) {
    it(`is found in ${what}`, () => assert.equal(errorMessage(thrown), message));
  }

  it('is never empty, and never an object without words', () => {
    const hostile = new Proxy(
      {},
      {
        has: () => {
          throw new Error('no');
        },
      },
    );
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const thrown of [hostile, circular, Symbol('s'), 1n, '', () => 1, [], null]) assertWords(thrown);
    fc.assert(fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), assertWords));
  });
});

function assertWords(thrown: unknown): void {
  const message = errorMessage(thrown);
  assert.notEqual(message.trim(), '');
  assert.doesNotMatch(message, /^\[object \w+\]$|^fetch failed$/);
}
