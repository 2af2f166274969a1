import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorMessage } from '../../../src/base/errors.ts';

describe('the message of a thrown value', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const rows: readonly (readonly [source: string, thrown: unknown, message: string])[] = [
    ['an error', new Error('Words'), 'Words'],
    ['a failed fetch', new TypeError('fetch failed', { cause: refused }), refused.message],
    [
      'several addresses',
      Object.assign(new AggregateError([refused], ''), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['a string', 'Words', 'Words'],
    ['an object with a message', { message: 'Words' }, 'Words'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['undefined', undefined, 'undefined'],
  ];
  for (const [source, thrown, message] of rows) {
    it(`is read from ${source}`, () => assert.equal(errorMessage(thrown), message));
  }

  it('is never empty, “[object Object]” or “fetch failed”', () => {
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
