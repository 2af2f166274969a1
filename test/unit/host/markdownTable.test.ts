import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markdownTable, nameCell } from '../../../src/host/requests/usage/markdownTable.ts';

describe('tables of usage', () => {
  it('have aligned columns, with words on the left and numbers on the right', () => {
    const rows = [
      ['`a`', '`here`', '1'],
      ['`longer`', '`b`', '1,000'],
    ];
    assert.deepEqual(markdownTable(['Model', 'Gateway', 'In'], rows, 2), [
      '| Model    | Gateway |    In |',
      '| -------- | ------- | ----: |',
      '| `a`      | `here`  |     1 |',
      '| `longer` | `b`     | 1,000 |',
    ]);
  });

  it('T20 show an external name literally, in one cell and one line', () => {
    const hostile = [
      '[x](command:evil)',
      '`<img src=x>`',
      'a|b\n| c |',
      '\\`\\|',
      '\u202egpj',
      '# big',
      '',
      '`'.repeat(10_000),
    ];
    for (const name of hostile) assertHarmless(nameCell(name));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => assertHarmless(nameCell(name))));
  });
});

/** Code without a backtick, or a dash. */
function assertHarmless(cell: string): void {
  assert.match(cell, /^(?:–|`[^`|\\\n\r\u202a-\u202e]{1,90}`)$/u, JSON.stringify(cell));
}
