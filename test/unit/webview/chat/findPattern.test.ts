import assert from 'node:assert/strict';
import {
  createExpression,
  createPattern,
  type FindQuery,
  findMatches,
} from '../../../../src/webview/chat/find/findPattern.ts';
import { assertLinear } from '../../../support/linearCost.ts';

function findTexts(text: string, typed: string, options: Partial<FindQuery> = {}): readonly string[] {
  const pattern = createPattern({
    text: typed,
    matchesCase: false,
    matchesWholeWord: false,
    isExpression: false,
    ...options,
  });
  return pattern ? findMatches(text, pattern, 100).map(([begin, end]) => text.slice(begin, end)) : [];
}

describe('a search in a chat', () => {
  it('finds the typed text literally', () => {
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
      assert.deepEqual(findTexts(`One ${typed} two`, typed), [typed], typed);
      assert.deepEqual(findTexts('One two', typed), [], typed);
    }
    assert.deepEqual(findTexts('anything', ''), []);
    assert.deepEqual(findTexts('a \ud800 b', '\ud800'), []);
  });

  it('ignores case by default, and differences in white space', () => {
    assert.deepEqual(findTexts('A Cat\n cat', 'cat'), ['Cat', 'cat']);
    assert.deepEqual(findTexts('A Cat\n cat', 'cat', { matchesCase: true }), ['cat']);
    assert.deepEqual(findTexts('one\ntwo, one  two', 'one two'), ['one\ntwo', 'one  two']);
  });

  it('finds whole words on request, next to punctuation and letters of any script', () => {
    const matchesWholeWord = true;
    assert.deepEqual(findTexts('éa a aé _a a-b', 'a', { matchesWholeWord }), ['a', 'a']);
    assert.deepEqual(findTexts('x(a) (a)x', '(a)', { matchesWholeWord }), ['(a)', '(a)']);
  });

  it('finds text of any script, with composed or decomposed accents', () => {
    for (const [text, typed, expected] of [
      ['caf\u00e9 cafe\u0301', 'caf\u00e9', ['caf\u00e9', 'cafe\u0301']],
      ['CAF\u00c9', 'cafe\u0301', ['CAF\u00c9']],
      ['\u1e69 s\u0323\u0307', '\u1e69', ['\u1e69', 's\u0323\u0307']],
      ['\ud55c\uae00 \u1112\u1161\u11ab', '\ud55c', ['\ud55c', '\u1112\u1161\u11ab']],
      ['Stra\u00dfe STRA\u1e9eE', 'stra\u00dfe', ['Stra\u00dfe', 'STRA\u1e9eE']],
      ['\u00c4pfel \u00e4', '\u00e4', ['\u00c4', '\u00e4']],
      ['\u6f22\u5b57\u306f\u6f22\u5b57', '\u6f22\u5b57', ['\u6f22\u5b57', '\u6f22\u5b57']],
      [
        '\ud83d\udc69\u200d\ud83d\udcbb \ud83d\udc69',
        '\ud83d\udc69\u200d\ud83d\udcbb',
        ['\ud83d\udc69\u200d\ud83d\udcbb'],
      ],
      ['a\u200fb', 'a\u200fb', ['a\u200fb']],
      ['NEAR(a, b)', 'near(', ['NEAR(']],
      ['a\ud83c b', '\ud83c', []],
    ] as const) {
      assert.deepEqual(findTexts(text, typed), expected, typed);
    }
    assert.deepEqual(findTexts('a', 'a'.repeat(10_000)), []);
    assert.deepEqual(findTexts('a\0b', 'a\0b'), []);
  });

  it('builds a regular expression in the syntax of editors, and rejects invalid ones', () => {
    const query = { text: '^b(?=c)', matchesCase: false, matchesWholeWord: false, isExpression: true };
    assert.deepEqual(createExpression(query), { source: '^b(?=c)', flags: 'gimu' });
    assert.equal(createExpression({ ...query, text: '' }), undefined);
    for (const matchesWholeWord of [false, true]) {
      for (const text of ['(', 'a)(b', '[z-a]', '*', '\\', '(?<n>', 'a{2', '\ud83c('])
        assert.throws(() => createExpression({ ...query, text, matchesWholeWord }), SyntaxError, text);
    }
  });

  it('stops at the maximum number of matches', () => {
    assert.equal(findTexts('a'.repeat(1000), 'a').length, 100);
  });

  it('takes linear time for any typed text', () => {
    for (const typed of ['aaaaaaaaab', 'a a a a a b', 'a\n']) {
      assertLinear(
        (n) => 'a a'.repeat(n),
        (text) => findTexts(text, typed, { matchesWholeWord: true }),
        20_000,
      );
    }
  });
});
