import assert from 'node:assert/strict';
import { splitHiddenText } from '../../src/webview/markdown/hiddenText.ts';
import { findGrammar, highlight, readCodeRuns } from '../../src/webview/markdown/highlight.ts';
import { LinkReferences } from '../../src/webview/markdown/linkReferences.ts';
import {
  describeImageSource,
  describeLinkDestination,
  parseOpenableLink,
  readFileLink,
} from '../../src/webview/markdown/linkTargets.ts';
import { type Block, parse, type References, type Token } from '../../src/webview/markdown/markdownParser.ts';
import { displayMaths, inlineMaths } from '../../src/webview/markdown/syntax/mathsSyntax.ts';
import { formatCsv, formatMarkdownTable } from '../../src/webview/markdown/tableFormats.ts';
import { type FormulaNode, parseFormula } from '../../src/webview/maths/formulaTree.ts';
import { mathMlAttributes, mathMlTags } from '../../src/webview/maths/mathMl.ts';
import { assertPrototypesUnchanged, assertSame, divideText, readFixtures } from '../support/fuzzing.ts';
import { formatParts, formatText, splitPieces } from '../support/markdownLines.ts';

/** Every kind of block and mark, and the Markdown of an imported conversation. */
export function seeds(): readonly (Buffer | string)[] {
  return [
    ...readFixtures('conversations', '.md'),
    '# Head *one*\n\nWords **bold** `code` [link](https://example.com "t") <https://a.example>\n\n- a\n- [x] b\n  1. c\n',
    '> [!NOTE]\n> quote\n\n```ts\nconst a = `b` // x\n```\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n***\n',
    '[ref]: https://example.com/a\n\n[ref] ![i](https://example.com/i.png) [^1]\n\n[^1]: note\n    more\n',
    'Formula $e^{i\\pi}$, \\(\\frac{a}{b}\\) and\n\n$$\n\\begin{matrix} a & b \\\\ c & d \\end{matrix}\n$$\n\n\\[ x \\]\n',
    '<details>\n<summary>More</summary>\n\nH~2~O x^2^ ~~gone~~ <sub>a</sub><br>\n\n</details>\n',
    '```python\nx = """text\n```\n~~~html\n<b class="x">&amp;</b>\n~~~\n\u202e hidden \u200b\u{e0041}\n',
  ];
}

/** The Markdown of a reply, up to the elements of the page. */
export function fuzz(data: Buffer): void {
  const text = data.toString();
  const references: References = {};
  parse(text, references);
  const blocks = parse(text, references);
  for (const token of blocks.flatMap(({ tokens }) => tokens)) checkToken(token);
  checkBlocks(blocks, text);
  checkReferences(text);
  checkSplitting(text);
  checkHiddenText(text);
  checkTable(text);
  assertPrototypesUnchanged();
}

function checkBlocks(blocks: readonly Block[], text: string): void {
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const { start, end, tokens } of blocks) {
    assert.ok(start >= 0 && start <= end && end <= lines + 1, `lines ${start} to ${end} of ${lines}`);
    const depth = tokens.reduce((sum, { nesting }) => sum + nesting, 0);
    assert.equal(depth, 0, 'a block is not closed');
  }
}

/** The definitions of a text that arrives are found, too. */
function checkReferences(text: string): void {
  const references = new LinkReferences();
  references.parseOpen(text);
  let painted = 0;
  references.repaintWhenDefined(text, () => {
    painted += 1;
  });
  references.parseClosed(text);
  references.finish();
  while (references.repaintNext());
  assert.ok(painted <= 1, 'painted twice');
}

function checkToken(token: Token): void {
  const { type, content, info, children } = token;
  assert.ok(!type.startsWith('html'), 'HTML is not shown as source');
  for (const child of children ?? []) checkToken(child);
  if (type === 'link_open') checkLink(String(token.attrGet('href')), content);
  if (type === 'image') assert.notEqual(describeImageSource(String(token.attrGet('src'))), undefined);
  if (type === 'fence') checkCode(content, info);
  if (type === inlineMaths || type === displayMaths) checkFormula(content, type === displayMaths);
}

/** Only addresses that the host opens, and files of the workspace. */
function checkLink(address: string, text: string): void {
  const url = parseOpenableLink(address);
  assert.ok(url || readFileLink(address) !== undefined, address);
  if (!url) return;
  assert.match(url.protocol, /^(?:https?|mailto):$/);
  describeLinkDestination(url, text);
}

/** The page does not colour longer lines. */
const maxLineLength = 500;

function checkCode(code: string, info: string): void {
  const grammar = findGrammar(info.trim().split(/\s/)[0] ?? '');
  if (grammar === undefined) return;
  const short = code.split('\n').filter((line) => line.length <= maxLineLength);
  const shown = readCodeRuns(highlight(short.join('\n'), grammar).markup);
  assert.equal(
    shown.map(({ text }) => text).join(''),
    short.join('\n'),
    'coloured code has other characters',
  );
}

const tags = new Set<string>(mathMlTags);
const attributes = new Set<string>(mathMlAttributes);

function checkFormula(source: string, display: boolean): void {
  const tree = parseFormula(source, display);
  if ('problem' in tree) assert.equal(typeof tree.problem, 'string');
  else checkFormulaNode(tree);
}

function checkFormulaNode(node: FormulaNode): void {
  if ('text' in node) return;
  assert.ok(tags.has(node.tag), node.tag);
  for (const name of Object.keys(node.attributes)) assert.ok(attributes.has(name), name);
  for (const child of node.children) checkFormulaNode(child);
}

/** The blocks of an arriving text are those of the whole text, for any pieces. */
function checkSplitting(text: string): void {
  const expected = formatText(text);
  for (const pieces of [[text], ...divideText(text)]) {
    const closed = splitPieces(pieces);
    // Text in a block that is too long to be parsed again is shown as it was written.
    if (closed.every(({ kind }) => kind === 'blocks'))
      assertSame(formatParts(closed), expected, 'other blocks than in the whole text');
  }
}

/** All visible characters remain, and the hidden ones are counted. */
function checkHiddenText(text: string): void {
  const runs = splitHiddenText(text);
  const visible = runs.map((run) => ('text' in run ? run.text : '')).join('');
  const hiddenCount = runs.reduce((sum, run) => sum + ('hidden' in run ? run.hidden : 0), 0);
  assert.equal([...visible].length + hiddenCount, [...text].length, 'characters were lost');
}

function checkTable(text: string): void {
  const rows = text.split('\n').map((line) => line.split('|'));
  for (const line of formatCsv(rows).split('\r\n')) assert.doesNotMatch(line, /^"?[=@]/);
  formatMarkdownTable(rows, ['center', 'right']);
}
