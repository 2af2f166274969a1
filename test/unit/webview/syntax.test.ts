import assert from 'node:assert/strict';
import { parse, type References, type Token } from '../../../src/webview/markdown/markdownParser.ts';
import { getAlertKind, getTaskState } from '../../../src/webview/markdown/syntax/alertAndTaskSyntax.ts';
import { assertLinear } from '../../support/linearCost.ts';

/** The types and contents of the tokens of a text, without paragraphs. */
function formatTokens(text: string): string {
  const references: References = {};
  parse(text, references);
  const tokens = parse(text, references).flatMap(({ tokens }) => tokens);
  return tokens.flatMap(formatToken).join('');
}

function formatToken(token: Token): readonly string[] {
  if (token.children) return token.children.flatMap(formatToken);
  if (token.type === 'text') return [token.content];
  if (token.type === 'softbreak') return [' '];
  if (token.type.startsWith('paragraph')) return [];
  return [
    `<${[token.type, token.content, getAlertKind(token), getTaskState(token)].filter((part) => part !== undefined && part !== '').join(' ')}>`,
  ];
}

describe('Markdown beyond CommonMark', () => {
  const texts: Readonly<Record<string, string>> = {
    '- [ ] open\n- [x] done\n- [y] item':
      '<bullet_list_open><list_item_open false>open<list_item_close><list_item_open true>done<list_item_close><list_item_open>[y] item<list_item_close><bullet_list_close>',
    '1. [X] done': '<ordered_list_open><list_item_open true>done<list_item_close><ordered_list_close>',
    '[ ] no item': '[ ] no item',
    '> [!WARNING]\n> Take care': '<blockquote_open warning>Take care<blockquote_close>',
    '> [!note] words': '<blockquote_open>[!note] words<blockquote_close>',
    '> [!STOP]\n> x': '<blockquote_open>[!STOP] x<blockquote_close>',
    'a[^1]\n\n[^1]: *b*': 'a<footnote_mention 1><footnote_open 1><em_open>b<em_close><footnote_close 1>',
    'a[^1] without': 'a[^1] without',
    '[^a]: b\n[^c]: d': '<footnote_open a>b<footnote_close a><footnote_open c>d<footnote_close c>',
    'H~2~O and x^2^': 'H<sub_open>2<sub_close>O and x<sup_open>2<sup_close>',
    '~~gone~~ and ~a b~': '<s_open>gone<s_close> and ~a b~',
    'a<sub>1</sub><br/>b': 'a<sub_open>1<sub_close><hardbreak>b',
    '<kbd>*a*</kbd> <b>b</b>': '<kbd_open><em_open>a<em_close><kbd_close> <strong_open>b<strong_close>',
    '<sub class="x">1</sub>': '<sub class="x">1</sub>',
    '<u>a</u> <img src=x>': '<u>a</u> <img src=x>',
    '<sup>never closed': '<sup>never closed',
    '<details>\n<summary>More</summary>\n\n*a*\n\n</details>':
      '<fold_open><fold_summary More><em_open>a<em_close><fold_close>',
    '<details open><summary>More</summary>': '<fold_open More>',
    '<details ontoggle="x">': '<details ontoggle="x">',
    'in <details> a line': 'in <details> a line',
    '> <details>\n> a\n> </details>': '<blockquote_open><fold_open>a<fold_close><blockquote_close>',
    '- a\n  <details>\n  b\n\n  </details>\n- c':
      '<bullet_list_open><list_item_open>a<fold_open>b<fold_close><list_item_close><list_item_open>c<list_item_close><bullet_list_close>',
    '- - a\n    <details><summary>More</summary>':
      '<bullet_list_open><list_item_open><bullet_list_open><list_item_open>a<fold_open More><list_item_close><bullet_list_close><list_item_close><bullet_list_close>',
    '- a\n</details>': '<bullet_list_open><list_item_open>a<list_item_close><bullet_list_close><fold_close>',
  };
  for (const [text, expected] of Object.entries(texts)) {
    it(`is parsed correctly in ${JSON.stringify(text)}`, () => assert.equal(formatTokens(text), expected));
  }

  const longTexts: Readonly<Record<string, (count: number) => string>> = {
    'opening tags': (count) => '<sub>a '.repeat(count),
    'nested tags': (count) => `${'<b>'.repeat(count)}x${'</b>'.repeat(count)}`,
    'raised words': (count) => '^a^ ~b~ ^c ~d '.repeat(count),
    'undefined footnotes': (count) => '[^a] '.repeat(count),
    footnotes: (count) => Array.from({ length: count }, (_, at) => `[^${at}]\n\n[^${at}]: x\n\n`).join(''),
    folds: (count) => '<details>\n<summary>a</summary>\n\nb\n\n</details>\n\n'.repeat(count),
    'folds in quotes': (count) => '> <details>\n> <summary>a</summary>\n'.repeat(count),
    'folds in items': (count) => '- <details>\n  <summary>a</summary>\n  b\n\n  </details>\n'.repeat(count),
    tasks: (count) => '- [ ] a\n'.repeat(count),
    alerts: (count) => '> [!NOTE]\n> a\n\n'.repeat(count),
  };
  for (const [name, text] of Object.entries(longTexts)) {
    it(`P9 takes linear time with ${name}`, () => {
      assertLinear(text, (text) => parse(text, {}), 1000);
    });
  }
});
