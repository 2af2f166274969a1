import assert from 'node:assert/strict';
import { readRange } from '../../../src/localGateway/routes/taskContent.ts';

describe('the requested byte range', () => {
  const table: readonly (readonly [header: string | undefined, range: ReturnType<typeof readRange>])[] = [
    [undefined, undefined],
    ['bytes=0-', part(0, 99)],
    ['bytes=0-0', part(0, 0)],
    ['bytes=40-', part(40, 99)],
    ['bytes=40-59', part(40, 59)],
    ['bytes=40-1000', part(40, 99)],
    ['bytes=99-', part(99, 99)],
    ['bytes=-1', part(99, 99)],
    ['bytes=-1000', part(0, 99)],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=59-40', undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['items=0-1', undefined],
  ];
  for (const [header, range] of table) {
    it(`F86 F87 of ${header ?? 'none'} is ${JSON.stringify(range) ?? 'everything'}`, () =>
      assert.deepEqual(readRange(header, 100), range));
  }

  function part(first: number, last: number) {
    return { first, last };
  }
});
