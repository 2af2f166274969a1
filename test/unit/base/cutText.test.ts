import assert from 'node:assert/strict';
import { cut, head } from '../../../src/base/cutText.ts';

describe('a text that is cut', () => {
  it('keeps as much as allowed, and says that there was more', () => {
    assert.equal(cut('four', 4), 'four');
    assert.equal(cut('a word and more', 6), 'a word…');
  });

  it('ends in no half of a character', () => {
    assert.equal(head('ab\u{1f600}', 3), 'ab');
    assert.equal(cut('ab\u{1f600}cd', 3), 'ab…');
    assert.equal(cut('ab\u{1f600}cd', 4), 'ab\u{1f600}…');
  });
});
