import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyChange, findTextChange, splitChange } from '../../../src/base/textChange.ts';

describe('the change between two texts', () => {
  it('is the inserted, removed or replaced text', () => {
    assert.equal(findTextChange('same', 'same'), undefined);
    assert.deepEqual(findTextChange('', 'new'), { start: 0, end: 0, text: 'new' });
    assert.deepEqual(findTextChange('one three', 'one two three'), { start: 5, end: 5, text: 'wo t' });
    assert.deepEqual(findTextChange('aaaa', 'aaa'), { start: 3, end: 4, text: '' });
  });

  it('does not split a character', () => {
    assert.deepEqual(findTextChange('a😀b', 'a😁b'), { start: 1, end: 3, text: '😁' });
    assert.deepEqual(findTextChange('\u{1f600}', '\u{1fa00}'), { start: 0, end: 2, text: '\u{1fa00}' });
    const pieces = splitChange({ start: 0, end: 0, text: '😀😀' }, 3);
    assert.deepEqual(
      pieces.map(({ text }) => text),
      ['😀', '😀'],
    );
  });

  it('turns the first text into the second, in pieces of any size', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 2, max: 5 }), (before, after, max) => {
        const change = findTextChange(before, after);
        const pieces = change ? splitChange(change, max) : [];
        assert.equal(pieces.reduce(applyChange, before), after);
      }),
    );
  });

  it('is rejected when its range is outside the text', () => {
    assert.throws(() => applyChange('abc', { start: 2, end: 9, text: '' }), RangeError);
  });
});
