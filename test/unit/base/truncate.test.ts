import assert from 'node:assert/strict';
import { startOf, truncate } from '../../../src/base/truncate.ts';

describe('a text that is cut', () => {
  it('keeps as much as allowed, and says that there was more', () => {
    assert.equal(truncate('four', 4), 'four');
    assert.equal(truncate('a word and more', 6), 'a word…');
  });

  it('ends in no half of a character', () => {
    assert.equal(startOf('ab\u{1f600}', 3), 'ab');
    assert.equal(truncate('ab\u{1f600}cd', 3), 'ab…');
    assert.equal(truncate('ab\u{1f600}cd', 4), 'ab\u{1f600}…');
  });
});
