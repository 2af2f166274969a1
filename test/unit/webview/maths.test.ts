import assert from 'node:assert/strict';
import { parse, type References, type Token } from '../../../src/webview/markdown/markdownParser.ts';
import { maxFormulaElements } from '../../../src/webview/markdown/syntax/markdownLimits.ts';
import { type FormulaNode, parseFormula } from '../../../src/webview/maths/formulaTree.ts';
import { mathMlAttributes, mathMlTags } from '../../../src/webview/maths/mathMl.ts';
import { assertLinear } from '../../support/linearCost.ts';

/** The formulas of a text. Formulas on separate lines are in brackets. */
function listFormulas(text: string, isArriving = false): readonly string[] {
  return parse(text, {}, isArriving).flatMap(({ tokens }) => tokens.flatMap(listFormulasIn));
}

function listFormulasIn(token: Token): readonly string[] {
  if (token.type === 'maths_display') return [`[${token.content}]`];
  if (token.type === 'maths_inline') return [token.content];
  return (token.children ?? []).flatMap(listFormulasIn);
}

function listNodes(node: FormulaNode): readonly Exclude<FormulaNode, { text: string }>[] {
  return 'text' in node ? [] : [node, ...node.children.flatMap(listNodes)];
}

function parseTree(source: string, display = true): FormulaNode {
  const tree = parseFormula(source, display);
  assert.ok(!('problem' in tree), `${source}: ${'problem' in tree ? tree.problem : ''}`);
  return tree;
}

function findProblem(source: string): string {
  const tree = parseFormula(source, true);
  return 'problem' in tree ? tree.problem : assert.fail(`${source} was read`);
}

describe('maths in a reply', () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    'Euler: $e^{i\\pi}$, and \\(a_1\\).': ['e^{i\\pi}', 'a_1'],
    $$x$$: ['[x]'],
    'Then $$x$$ follows': ['[x]'],
    '$$\na\n+ b\n$$': ['[a\n+ b]'],
    '\\[ a \\]': ['[a]'],
    '\\[\na\n\\]\nwords': ['[a]'],
    '- item\n  $$\n  a\n  $$': ['[a]'],
    '> $$\n> a\n> $$': ['[a]'],
    '$f(x)$-axis and ($n$)': ['f(x)', 'n'],
    '| a |\n|---|\n| $x$ |': ['x'],
    '$5 and $6': [],
    'from $5 to $10, or 3$': [],
    '$5 million or 6$': [],
    'US$5 and CA$6$': [],
    '$HOME/$USER and $PATH': [],
    '\\$x\\$ and $ x $': [],
    '`$x$` and ```$y$```': [],
    '```\n$$\nx\n$$\n```': [],
    '$$\na\n\nb\n$$': [],
    '$$$ cheap $$$': [],
    '    $$x$$': [],
  };
  for (const [text, expected] of Object.entries(texts)) {
    it(`is parsed correctly in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(listFormulas(text), expected));
  }

  it('stays as written until a formula is complete', () => {
    const words = (text: string) =>
      parse(text, {} satisfies References, true)
        .flatMap(({ tokens }) => tokens)
        .flatMap(({ children }) => children ?? [])
        .map(({ type, content }) => (type === 'text' ? content : `<${type}>`))
        .join('');
    assert.equal(words('so $a_1 *b* \\frac'), 'so $a_1 *b* \\frac');
    assert.equal(words('so \\(a *b* c'), 'so \\(a *b* c');
    assert.equal(words('$$ a *b* c'), '$$ a *b* c');
    assert.equal(words('for $5, *really*'), 'for $5, <em_open>really<em_close>');
  });

  it('T10 consists of MathML elements that cannot load, link, style or run anything', () => {
    const forbidden = ['semantics', 'annotation', 'annotation-xml', 'maction', 'mglyph', 'img', 'a', 'style'];
    assert.deepEqual(
      mathMlTags.filter((tag) => forbidden.includes(tag)),
      [],
    );
    assert.deepEqual(
      mathMlAttributes.filter((name) =>
        /^(on|data)|href|src|^style|class|^id$|color|background|action/.test(name),
      ),
      [],
    );
    const rich =
      '\\color{red}\\boxed{\\frac{a}{b}} \\begin{array}{c|c}1&2\\\\\\hline 3&4\\end{array} \\cancel{x} \\rule{1em}{1em}';
    for (const { tag, attributes } of listNodes(parseTree(rich))) {
      assert.ok(mathMlTags.includes(tag), tag);
      for (const name of Object.keys(attributes)) assert.ok(mathMlAttributes.includes(name), name);
    }
  });

  for (const source of [
    '\\href{https://collector.example}{x}',
    '\\includegraphics{https://collector.example/x.png}',
    '\\class{icon-button}{x}',
    '\\id{a}{x}',
    '\\style{background:url(x)}{y}',
    '\\data{action=again}{x}',
    '\\url{https://collector.example}',
  ]) {
    it(`T10 is rejected with ${source}`, () => assert.notEqual(findProblem(source), ''));
  }

  it('is rejected if it is incomplete, too large or too deep', () => {
    assert.match(findProblem('\\frac{a'), /Unexpected end/);
    assert.match(findProblem('x+'.repeat(maxFormulaElements / 2)), /too large/);
    assert.match(findProblem(`${'\\sqrt{'.repeat(100)}x${'}'.repeat(100)}`), /too deep/);
    assert.match(findProblem('\\def\\a{\\a\\a}\\a'), /Too many expansions/);
    const bomb = '\\def\\a{xxxxxxxxx}\\def\\b{\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b}';
    assert.match(findProblem(`${bomb}${'\\c'.repeat(100)}`), /Too many expansions/);
    assert.match(findProblem(`\\ce{${'('.repeat(2000)}}`), /too long for a chemical formula/);
  });

  const completeBombs: Readonly<Record<string, string>> = {
    'a long macro that is used often': `\\def\\a{${'x^2'.repeat(300)}}${'\\a'.repeat(490)}`,
    'a macro that repeats its parameter': `\\def\\a#1{${'#1'.repeat(300)}}\\a{\\a{${'x'.repeat(900)}}}`,
    'nested macros': `\\newcommand\\a[1]{#1#1#1}${'\\a{'.repeat(30)}${'x'.repeat(900)}${'}'.repeat(30)}`,
    'macros of another name': `\\let\\d\\def\\d\\a{${'x'.repeat(900)}}${'\\a'.repeat(490)}`,
    'nested parts that are built twice': `${'\\cancelto{y}{'.repeat(30)}x${'}'.repeat(30)}`,
    'a long formula in nested parts that are built twice': `${'\\cancelto{y}{'.repeat(3)}${'x'.repeat(600)}${'}'.repeat(3)}`,
    'arrows that are built twice': `${'\\equilibriumRight{'.repeat(30)}x${'}'.repeat(30)}`,
    'arrows of chemistry': `${'\\ce{A <=>>['.repeat(20)}x${']}'.repeat(20)}`,
    'an argument that a macro builds twice': `\\def\\a#1{\\cancelto{y}{#1}}${'\\a{'.repeat(30)}x${'}'.repeat(30)}`,
    'units of chemistry': `\\pu{${'1 m/s '.repeat(300)}}`,
  };
  for (const [name, source] of Object.entries(completeBombs)) {
    it(`P9 is rejected early for ${name}`, () => {
      assert.match(
        findProblem(source),
        /Too many expansions|macros are too large|too long for a chemical formula|too many times/,
      );
    });
  }

  it('is accepted with the macros of ordinary formulas', () => {
    parseTree('\\newcommand{\\size}[1]{\\lVert #1 \\rVert} \\size{x+y} \\le \\size{x} + \\size{y}');
    parseTree(`\\def\\R{\\mathbb R} f: ${'\\R \\times '.repeat(20)} \\R \\to \\R`);
    parseTree('\\ce{CO2 + C <=>> 2 CO}');
    parseTree('\\frac{\\cancelto{1}{x} \\cdot \\cancelto{0}{y}}{\\cancelto{1}{x}} = 0');
  });

  it('is accepted with a derivation of many lines', () => {
    const line =
      'f(x_1) &= \\int_0^{\\infty} \\frac{\\alpha x^2 + \\beta}{\\sqrt{1 + x^2}} \\, dx + \\hat{y} \\\\';
    parseTree(`\\begin{aligned}${line.repeat(14)}\\end{aligned}`);
  });

  it('T20 is rejected with a hidden character that is written as a number', () => {
    for (const code of ['202E', '200B', '2066', 'E0041'])
      assert.match(findProblem(`a\\char"${code} b`), /hidden/);
    parseTree('\\operatorname{f}x \\oplus y \\varsupsetneqq z');
  });

  it('does not keep the macros of one formula for the next', () => {
    parseTree('\\gdef\\mine{x}\\mine');
    assert.match(findProblem('\\mine'), /Unsupported/);
  });

  it('has limited sizes', () => {
    for (const { attributes } of listNodes(parseTree('\\hspace{9999em}x\\kern9999em y'))) {
      assert.ok(!/\d{3}/.test(attributes.width ?? ''), attributes.width);
    }
    for (const { attributes } of listNodes(parseTree('\\raisebox{-9999em}{x}\\kern-9999em y'))) {
      for (const value of Object.values(attributes)) assert.ok(!(Number.parseFloat(value) < -10), value);
    }
  });

  const longTexts: Readonly<Record<string, (count: number) => string>> = {
    'opening dollars': (count) => '$a '.repeat(count),
    'closing dollars': (count) => 'a$ '.repeat(count),
    'prices before one sign': (count) => `${'$5 a '.repeat(count)}b$ `,
    'blanks after a fold': (count) => `<details>${' '.repeat(10 * count)}x`,
    'lone brackets': (count) => '\\(a \\[b '.repeat(count),
    'formulas in a line': (count) => '$a$ \\(b\\) '.repeat(count),
    'blocks without an end': (count) => '$$\na\n\n'.repeat(count),
    'lines of one formula': (count) => `$$\n${'a\n'.repeat(count)}`,
  };
  for (const [name, text] of Object.entries(longTexts)) {
    for (const isArriving of [false, true]) {
      it(`P9 takes linear time with ${name}${isArriving ? ' while they arrive' : ''}`, () => {
        assertLinear(text, (text) => listFormulas(text, isArriving), 1000);
      });
    }
  }
});
