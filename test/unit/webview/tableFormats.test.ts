import assert from 'node:assert/strict';
import { formatCsv, formatMarkdownTable } from '../../../src/webview/markdown/tableFormats.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('a copied table', () => {
  const cells: Readonly<Record<string, string>> = {
    plain: 'plain',
    'a, b': '"a, b"',
    'say "a"': '"say ""a"""',
    'two\nlines': '"two\nlines"',
    '': '',
    '=HYPERLINK("x")': '"\'=HYPERLINK(""x"")"',
    '@sum': "'@sum",
    '+cmd|a': "'+cmd|a",
    '-a': "'-a",
    '-5': '-5',
    '+1,000.5': '"+1,000.5"',
    '-5 %': '-5 %',
    '-5+cmd': "'-5+cmd",
    '＝1+1': "'＝1+1",
    'a;=1+1': "a;'=1+1",
    'a; "@x': '"a; ""\'@x"',
    'a\n-b': '"a\n\'-b"',
    'a; b': 'a; b',
    'a;\t\t=1': "a;\t\t'=1",
    'a;=1;=2': "a;'=1;'=2",
  };
  for (const [cell, expected] of Object.entries(cells)) {
    it(`T19 has the CSV cell ${expected} for ${JSON.stringify(cell)}`, () =>
      assert.equal(formatCsv([[cell, 'x']]), `${expected},x\r\n`));
  }

  it('P9 takes linear time', () => {
    for (const words of ['\t', '; ', "|'", ' 1', '"', ' ', '\n', '\\', '|']) {
      const createCell = (n: number) => `a${words.repeat(n)}b`;
      assertLinear(createCell, (cell) => formatCsv([[cell]]));
      assertLinear(createCell, (cell) => formatMarkdownTable([[cell]], []));
    }
  });

  it('can be a Markdown table again', () => {
    assert.equal(
      formatMarkdownTable(
        [
          ['a', 'b|c'],
          ['**1**', 'x\ny'],
        ],
        ['', 'right'],
      ),
      '| a | b\\|c |\n| --- | --: |\n| **1** | x y |\n',
    );
  });
});
