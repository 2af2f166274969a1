import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changeBetween, changedText, piecesOfChange } from '../../../src/base/textChange.ts';

describe('the change between two texts', () => {
  it('is what was typed, removed or replaced', () => {
    assert.equal(changeBetween('same', 'same'), undefined);
    assert.deepEqual(changeBetween('', 'new'), { start: 0, end: 0, text: 'new' });
    assert.deepEqual(changeBetween('one three', 'one two three'), { start: 5, end: 5, text: 'wo t' });
    assert.deepEqual(changeBetween('aaaa', 'aaa'), { start: 3, end: 4, text: '' });
  });

  it('parts no character', () => {
    assert.deepEqual(changeBetween('a😀b', 'a😁b'), { start: 1, end: 3, text: '😁' });
    assert.deepEqual(changeBetween('\u{1f600}', '\u{1fa00}'), { start: 0, end: 2, text: '\u{1fa00}' });
    const pieces = piecesOfChange({ start: 0, end: 0, text: '😀😀' }, 3);
    assert.deepEqual(
      pieces.map(({ text }) => text),
      ['😀', '😀'],
    );
  });

  it('makes the one of the other, in any pieces', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 2, max: 5 }), (before, after, max) => {
        const change = changeBetween(before, after);
        const pieces = change ? piecesOfChange(change, max) : [];
        assert.equal(pieces.reduce(changedText, before), after);
      }),
    );
  });

  it('is refused where the text has no such place', () => {
    assert.throws(() => changedText('abc', { start: 2, end: 9, text: '' }), RangeError);
  });
});
