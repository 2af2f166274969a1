import assert from 'node:assert/strict';
import { type FindQuery, matchesIn, patternOf } from '../../../../src/webview/chat/find/pattern.ts';
import { assertLinear } from '../../../support/linearCost.ts';

function found(text: string, typed: string, options: Partial<FindQuery> = {}): readonly string[] {
  const pattern = patternOf({ text: typed, matchesCase: false, wholeWord: false, ...options });
  return pattern ? matchesIn(text, pattern, 100).map(([begin, end]) => text.slice(begin, end)) : [];
}

describe('what is found in a chat', () => {
  it('is what was typed, as it stands', () => {
    for (const typed of [
      '.*',
      '(a+)+$',
      '[x',
      '\\',
      'a|b',
      '^',
      '{2}',
      '$&',
      '/g',
      'a-b',
      '"',
      '🎉',
      '漢字',
    ]) {
      assert.deepEqual(found(`One ${typed} two`, typed), [typed], typed);
      assert.deepEqual(found('One two', typed), [], typed);
    }
    assert.deepEqual(found('anything', ''), []);
    assert.deepEqual(found('a \ud800 b', '\ud800'), []);
  });

  it('is of any case and any white space', () => {
    assert.deepEqual(found('A Cat\n cat', 'cat'), ['Cat', 'cat']);
    assert.deepEqual(found('A Cat\n cat', 'cat', { matchesCase: true }), ['cat']);
    assert.deepEqual(found('one\ntwo, one  two', 'one two'), ['one\ntwo', 'one  two']);
  });

  it('is whole words when asked, also beside signs and letters of any script', () => {
    const wholeWord = true;
    assert.deepEqual(found('éa a aé _a a-b', 'a', { wholeWord }), ['a', 'a']);
    assert.deepEqual(found('x(a) (a)x', '(a)', { wholeWord }), ['(a)', '(a)']);
  });

  it('ends with the most matches', () => {
    assert.equal(found('a'.repeat(1000), 'a').length, 100);
  });

  it('costs in proportion to the text, whatever is typed', () => {
    for (const typed of ['aaaaaaaaab', 'a a a a a b', 'a\n']) {
      assertLinear(
        (n) => 'a a'.repeat(n),
        (text) => found(text, typed, { wholeWord: true }),
        20_000,
      );
    }
  });
});
