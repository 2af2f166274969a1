import MarkdownIt from 'markdown-it';

/** Blocks of HTML that go on over blank lines, up to their end: how they begin, and the end that is looked for. */
const htmlBlocks: readonly (readonly [begin: RegExp, end: string])[] = [
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<![a-z]/i, '>'],
  [/^ {0,3}<script/i, '</script>'],
  [/^ {0,3}<pre/i, '</pre>'],
  [/^ {0,3}<style/i, '</style>'],
  [/^ {0,3}<textarea/i, '</textarea>'],
];

const probe = '\n\n# probe';
const mayStayOpen = /```|~~~|</;

const parser = new MarkdownIt('commonmark');
parser.core.ruler.enableOnly(['normalize', 'block']);

/** The most lines that are read as one quote: the parser may read the rest of the text again at each line of it. */
const maxQuoteLines = 20;

const { ruler } = new MarkdownIt('commonmark').block;
ruler.enableOnly(['blockquote']);
for (const readQuote of ruler.getRules('')) {
  parser.block.ruler.at(
    'blockquote',
    (state, start, end, silent) => readQuote(state, start, Math.min(end, start + maxQuoteLines), silent),
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

/** A text of Markdown that swallows nothing behind it: a block that is still open at its end is closed. */
export function closedMarkdown(text: string): string {
  if (!mayStayOpen.test(text)) return text;
  const last = parser.parse(text + probe, {}).at(-1);
  if (last?.type === 'fence') return onOwnLine(text, last.markup);
  if (last?.type !== 'html_block') return text;
  const [, end] = htmlBlocks.find(([begin]) => begin.test(last.content)) ?? [];
  return end === undefined ? text : onOwnLine(text, end);
}

function onOwnLine(text: string, closing: string): string {
  return `${text}${text.endsWith('\n') ? '' : '\n'}${closing}`;
}
