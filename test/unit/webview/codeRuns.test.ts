import assert from 'node:assert/strict';
import { findGrammar, highlight, readCodeRuns } from '../../../src/webview/markdown/highlight.ts';

function readRuns(code: string, language: string) {
  const grammar = findGrammar(language);
  assert.ok(grammar, language);
  return readCodeRuns(highlight(code, grammar).markup);
}

describe('highlighted code', () => {
  it('keeps every character', () => {
    const code = `const a = "<b class='x'>&amp;</b>" // <!-- & -->\n`;
    for (const language of ['ts', 'html', 'py', 'sh', 'json', 'diff', 'md', 'c++']) {
      assert.equal(
        readRuns(code, language)
          .map(({ text }) => text)
          .join(''),
        code,
        language,
      );
    }
  });

  it('has the kind of each word', () => {
    assert.deepEqual(
      readRuns('return "x"', 'ts').filter(({ kind }) => kind !== ''),
      [
        { kind: 'keyword', text: 'return' },
        { kind: 'string', text: '"x"' },
      ],
    );
  });

  it('has the colour of code inside a template string', () => {
    const inside = readRuns(`\`a \${b} c\``, 'ts').find(({ text }) => text.includes('b'));
    assert.equal(inside?.kind, '');
  });

  it('is complete at the end of a statement, but not inside a comment or a string', () => {
    assert.equal(highlight('const a = 1\n', 'typescript').isComplete, true);
    assert.equal(highlight('/* comment\n', 'typescript').isComplete, false);
    assert.equal(highlight('x = """text\n', 'python').isComplete, false);
  });

  it('has no grammar for an unknown language or a name of an object property', () => {
    for (const name of ['klingon', '__proto__', 'constructor', ''])
      assert.equal(findGrammar(name), undefined);
  });
});
