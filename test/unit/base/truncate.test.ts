import assert from 'node:assert/strict';
import { limitLength, truncate } from '../../../src/base/truncate.ts';

describe('a truncated text', () => {
  it('has the allowed length, and ends in an ellipsis', () => {
    assert.equal(truncate('four', 4), 'four');
    assert.equal(truncate('a word and more', 6), 'a word…');
  });

  it('does not end in half a character', () => {
    assert.equal(limitLength('ab\u{1f600}', 3), 'ab');
    assert.equal(truncate('ab\u{1f600}cd', 3), 'ab…');
    assert.equal(truncate('ab\u{1f600}cd', 4), 'ab\u{1f600}…');
  });
});
