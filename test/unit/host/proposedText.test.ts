import assert from 'node:assert/strict';
import { proposedText, replaced } from '../../../src/host/apply/proposedText.ts';
import { assertLinear } from '../../support/linearCost.ts';

const file = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const isPart = { isPart: true };

describe('what a block of code makes of a file', () => {
  it('is the whole file where it holds most of it', () => {
    assert.deepEqual(proposedText(file, 'one\n2\nthree\nfour\nfive\nsix'), {
      text: 'one\n2\nthree\nfour\nfive\nsix\n',
    });
    assert.deepEqual(proposedText('', 'new'), { text: 'new\n' });
    assert.deepEqual(proposedText('\n\n', 'new\n'), { text: 'new\n' });
  });

  it('is nobody’s guess where it holds little of it, or leaves some out', () => {
    for (const code of [
      'two\n2\n',
      'one\n// ...\nfive\nsix\n',
      'one\ntwo\nthree\nfour\n# … rest\n',
      'one\ntwo\nthree\nfour\n  ... existing\n',
      'one\ntwo\nthree\nfour\n//...rest\n',
      'one\ntwo\nthree\nfour\n// existing code stays\n',
      'one\none\none\none\none\n',
    ]) {
      assert.deepEqual(proposedText(file, code), isPart, code);
    }
  });

  it('is the whole file also where a line of it spreads a value', () => {
    const spread = 'const all = {\n  ...defaults,\n  ...(more ?? {}),\n  ...[last],\n};\n';
    const text = `${spread}use(all);\n`;
    assert.deepEqual(proposedText(spread, text), { text });
  });

  it('takes the place of the lines that it answers, where they were or where they went', () => {
    const answered = { text: 'two\nthree\n', first: 2 };
    const expected = { text: 'one\nTWO\nfour\nfive\nsix\n' };
    assert.deepEqual(proposedText(file, 'TWO', answered), expected);
    assert.deepEqual(proposedText(`zero\n${file}`, 'TWO\n', answered), { text: `zero\n${expected.text}` });
  });

  it('takes no place of lines that changed, stand there twice, or are left out', () => {
    const answered = { text: 'two\nthree\n', first: 2 };
    assert.deepEqual(proposedText(file.replace('three', '3'), 'TWO\n', answered), isPart);
    assert.deepEqual(proposedText(`0\n${file}${file}`, 'TWO\n', answered), isPart);
    assert.deepEqual(proposedText('a two\nthree\n', 'TWO\n', answered), isPart);
    assert.deepEqual(proposedText(file, 'two\n// ...\n', answered), isPart);
  });

  it('keeps the line end of what it replaces', () => {
    assert.equal(replaced('a\nb\nc', 2, 4, 'B'), 'a\nB\nc');
    assert.equal(replaced('a\nb\nc', 4, 5, 'C\n'), 'a\nb\nC');
    assert.equal(replaced('ac', 1, 1, 'b\n'), 'ab\nc');
    assert.equal(replaced('ac', 1, 1, 'b'), 'abc');
  });

  it('P9 costs what its length says, whatever a reply repeats', () => {
    for (const [begin, repeated] of [
      ['a', '\n'],
      ['a', ' '],
      ['', 'existing '],
      ['//', ' \n'],
    ] as const) {
      assertLinear(
        (n) => `${begin}${repeated.repeat(n)}b`,
        (code) => proposedText(file, code),
      );
    }
  });
});
