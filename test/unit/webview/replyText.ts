import fc from 'fast-check';

/** Lines whose meaning depends on the lines before them. */
const lines = [
  ...['', '', '', ' ', 'words', 'more words', '  indented words', '    deep words', '\ttabbed'],
  ...['# Heading', '#', '## Closed ##', '===', '---', '- - -', '***', '--', '=', '-', '*', '+'],
  ...[
    '- item',
    '- other item',
    '  - inner',
    '    - deeper',
    '  more of the item',
    '* star',
    '+ plus',
    '-\ttab item',
  ],
  ...[' - shifted', '   - shifted far', '1. one', '2. two', '7) seven', '10. ten', '   text in one', '1.'],
  ...['> quote', '> - item in quote', '>', '>no space', '> > nested', '> ```'],
  ...['```', '```ts', '````', '~~~', '  ```', '    ```', 'const a = 1', '```not a fence` x'],
  ...[
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    'a | b',
    '--|--',
    ':-:|-:',
    '| only one |',
    '|---|',
    '1. a | b',
    '- a | b',
  ],
  ...[
    '[ref]: https://example.com/a',
    '[ref]',
    '[text][ref]',
    '"title"',
    '[other]: <https://example.com/b>',
    "'open title",
  ],
  ...[
    '**bold** `code` [link](https://example.com)',
    '**open',
    '`open',
    '![image](https://example.com/i.png)',
    '\\',
    'hard  ',
  ],
  ...[
    '$$',
    '$$ x + 1',
    'y^2 $$',
    '$$z$$',
    '\\[',
    '\\]',
    '  $$',
    '$5 and $6',
    '$a_1$ $b',
    '\\(c\\) \\(d',
    '> $$',
    '- $$',
  ],
  ...[
    '[^1]: first note',
    '    more of the note',
    'a note[^1] and [^2]',
    '[^2]:',
    '[^2]: second',
    '> [^3]: quoted',
  ],
  ...['- [ ] to do', '- [x] done', '> [!NOTE]', '> [!tip] words', '> words'],
  ...[
    '<details>',
    '<summary>More</summary>',
    '</details>',
    '<details><summary>*a*</summary>',
    '  </details>',
    ...['> <details>', '> <summary>More</summary>', '> </details>'],
    ...['- <details>', '  <details>', '  <summary>More</summary>', '    </details>'],
  ],
  ...['H~2~O and x^2^', '~~gone~~ ~a', '<sub>a</sub><br>b', '<b>*c</b>*', '<kbd>', '</kbd>'],
  ...['<div>', '</div>', '<!-- comment', '&amp; &#0; \u0000', '👩‍👩‍👧 emoji', 'https://example.com/auto'],
];

/** A Markdown text of lines that change each other's meaning. */
export function replyText(): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom('\n', '\n', '\n', '\n', '\r\n', '\r', '')), {
      maxLength: 14,
    })
    .map((parts) => parts.map(([line, end]) => line + end).join(''));
}

/** Cuts a text into pieces of the given sizes. */
export function cutIntoPieces(text: string, sizes: Iterator<number>): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const size: number = sizes.next().value ?? 1;
    pieces.push(text.slice(start, start + size));
    start += size;
  }
  return pieces;
}
