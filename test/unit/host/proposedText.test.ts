import assert from 'node:assert/strict';
import fc from 'fast-check';
import { proposeText, replacePart } from '../../../src/host/chat/apply/proposedText.ts';
import { assertLinear } from '../../support/linearCost.ts';

const file = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const isPart = { isPart: true };

describe('a file changed by a code block', () => {
  it('is replaced completely if the code block contains most of it', () => {
    assert.deepEqual(proposeText(file, 'one\n2\nthree\nfour\nfive\nsix'), {
      text: 'one\n2\nthree\nfour\nfive\nsix\n',
    });
    assert.deepEqual(proposeText('', 'new'), { text: 'new\n' });
    assert.deepEqual(proposeText('\n\n', 'new\n'), { text: 'new\n' });
  });

  it('is not guessed if the code block contains little of it, or omits parts', () => {
    for (const code of [
      'two\n2\n',
      'one\n// ...\nfive\nsix\n',
      'one\ntwo\nthree\nfour\n# … rest\n',
      'one\ntwo\nthree\nfour\n  ... existing\n',
      'one\ntwo\nthree\nfour\n//...rest\n',
      'one\ntwo\nthree\nfour\n// existing code stays\n',
      'one\none\none\none\none\n',
    ]) {
      assert.deepEqual(proposeText(file, code), isPart, code);
    }
  });

  it('is replaced completely by a code block with spread operators', () => {
    const spread = 'const all = {\n  ...defaults,\n  ...(more ?? {}),\n  ...[last],\n};\n';
    const text = `${spread}use(all);\n`;
    assert.deepEqual(proposeText(spread, text), { text });
  });

  it('has the lines of the question replaced, even if they moved', () => {
    const answered = { text: 'two\nthree\n', firstLine: 2 };
    const expected = { text: 'one\nTWO\nfour\nfive\nsix\n' };
    assert.deepEqual(proposeText(file, 'TWO', answered), expected);
    assert.deepEqual(proposeText(`zero\n${file}`, 'TWO\n', answered), { text: `zero\n${expected.text}` });
  });

  it('is not changed if the lines of the question changed or occur twice, or the code omits parts', () => {
    const answered = { text: 'two\nthree\n', firstLine: 2 };
    assert.deepEqual(proposeText(file.replace('three', '3'), 'TWO\n', answered), isPart);
    assert.deepEqual(proposeText(`0\n${file}${file}`, 'TWO\n', answered), isPart);
    assert.deepEqual(proposeText('a two\nthree\n', 'TWO\n', answered), isPart);
    assert.deepEqual(proposeText(file, 'two\n// ...\n', answered), isPart);
  });

  it('has the lines of the question replaced only if they occur exactly once', () => {
    const someLines = fc.array(fc.constantFrom('a\n', 'b\n'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(someLines, fc.array(fc.constantFrom('a\n', 'b\n'), { maxLength: 14 }), (part, lines) => {
        const begins = (at: number) => part.every((line, nth) => lines[at + nth] === line);
        const places = lines.flatMap((_, at) => (begins(at) ? [at] : []));
        const [at = 0] = places;
        const replacedLines = [...lines.slice(0, at), 'new\n', ...lines.slice(at + part.length)].join('');
        const proposed = proposeText(lines.join(''), 'new\n', { text: part.join(''), firstLine: 100 });
        assert.deepEqual(proposed, places.length === 1 ? { text: replacedLines } : isPart);
      }),
    );
  });

  it('has the same line ends as the replaced text', () => {
    assert.equal(replacePart('a\nb\nc', 2, 4, 'B'), 'a\nB\nc');
    assert.equal(replacePart('a\nb\nc', 4, 5, 'C\n'), 'a\nb\nC');
    assert.equal(replacePart('ac', 1, 1, 'b\n'), 'ab\nc');
    assert.equal(replacePart('ac', 1, 1, 'b'), 'abc');
  });

  it('P9 is computed in linear time for a repetitive reply', () => {
    for (const [begin, repeated] of [
      ['a', '\n'],
      ['a', ' '],
      ['', 'existing '],
      ['//', ' \n'],
    ] as const) {
      assertLinear(
        (n) => `${begin}${repeated.repeat(n)}b`,
        (code) => proposeText(file, code),
      );
    }
  });

  it('P9 is computed in linear time if many equal lines moved', () => {
    assertLinear(
      (n) => `${'0\n'.repeat(n)}1\n`.repeat(2),
      (original) =>
        proposeText(original, 'x', { text: original.slice(2, original.length / 2), firstLine: 1 }),
    );
    assertLinear(
      (n) => '0'.repeat(n),
      (line) => proposeText(line + line, 'x', { text: `1${line}`, firstLine: 1 }),
    );
  });
});
