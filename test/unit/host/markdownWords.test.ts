import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { escapeMarkdown } from '../../../src/host/kit/display/plainText.ts';

const hostile = [
  '[x](command:modelGateway.connect)',
  '![x](https://evil.test/pixel.png)',
  '<img src=x onerror=alert(1)>',
  'https://evil.test www.evil.test a@evil.test',
  '<https://evil.test>',
  '# heading',
  '- item',
  '> quote',
  '[a]: https://evil.test',
  '1. item',
  '| a | b |',
  '**bold** _em_ `code` ~~gone~~ &lt;b&gt; \\[x\\](y)',
];

describe('external text in our Markdown', () => {
  const parser = new MarkdownIt({ html: true, linkify: true });

  for (const text of hostile) {
    it(`T11 is shown literally: ${text}`, () => {
      const inline = parser.parse(escapeMarkdown(text, 1000), {});
      assert.deepEqual(
        inline.map(({ type }) => type),
        ['paragraph_open', 'inline', 'paragraph_close'],
      );
      const parts = inline[1]?.children ?? [];
      const types = new Set(parts.map(({ type }) => type));
      types.delete('text');
      types.delete('text_special');
      assert.deepEqual([...types], []);
      assert.equal(parts.map(({ content }) => content).join(''), text.replaceAll('](', '] ('));
    });
  }
});
