import assert from 'node:assert/strict';
import { findNameProblem, maxGatewayNameLength } from '../../../src/host/connection/gatewayName.ts';

describe('a name for a gateway', () => {
  const cases: readonly (readonly [name: string, problem: ReturnType<typeof findNameProblem>])[] = [
    ['Work', undefined],
    ['仕事 🇫🇷 é', undefined],
    ['', 'empty'],
    [' ', 'empty'],
    ['x'.repeat(maxGatewayNameLength), undefined],
    ['x'.repeat(maxGatewayNameLength + 1), 'too-long'],
    ['a\nb', 'unprintable'],
    ['a\u0000b', 'unprintable'],
    ['a\u202eb', 'unprintable'],
    ['wo\u200brk', 'unprintable'],
    ['home', 'taken'],
    ['HOME', 'taken'],
  ];
  for (const [name, problem] of cases) {
    it(`${JSON.stringify(name).slice(0, 30)} is ${problem ?? 'valid'}`, () =>
      assert.equal(findNameProblem(name, ['Home', 'Local gateway']), problem));
  }
});
