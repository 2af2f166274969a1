import assert from 'node:assert/strict';
import { createModelMatcher } from '../../../src/base/modelPattern.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('the pattern of model ids', () => {
  const matching: readonly (readonly [model: string, pattern: string])[] = [
    ['gpt-5', 'gpt-5'],
    ['GPT-5', 'gpt-5'],
    ['gpt-5', '*'],
    ['', '*'],
    ['maker/gpt-5-mini', '*gpt*mini'],
    ['gpt-5', 'gpt*-5'],
    ['a.b', 'a.*'],
    ['aba', 'ab*a'],
    ['line\nend', 'line*'],
  ];
  const others: readonly (readonly [model: string, pattern: string])[] = [
    ['gpt-5', 'gpt'],
    ['gpt-5', '5*'],
    ['aba', 'ab*ba'],
    ['axb', 'a.b'],
    ['gpt', '*gpt*gpt*'],
    ['', 'a*'],
  ];
  for (const [model, pattern] of matching) {
    it(`${pattern} matches ${JSON.stringify(model)}`, () => assert.ok(createModelMatcher(pattern)(model)));
  }
  for (const [model, pattern] of others) {
    it(`${pattern} does not match ${JSON.stringify(model)}`, () =>
      assert.ok(!createModelMatcher(pattern)(model)));
  }

  it('P9 is matched in linear time for every model id', () => {
    assertLinear(
      (n) => '-a'.repeat(n),
      (model) => createModelMatcher('*-*a*-*a*video')(model),
    );
  });
});
