import assert from 'node:assert/strict';
import { looksLikeFile, readFileReference } from '../../../src/base/fileReference.ts';

describe('a file reference in a reply', () => {
  const read: Readonly<Record<string, object>> = {
    'src/a.ts': { path: 'src/a.ts' },
    './src/a.ts': { path: 'src/a.ts' },
    '/src/a.ts': { path: '/src/a.ts' },
    'src/my file.ts': { path: 'src/my file.ts' },
    '.env.example': { path: '.env.example' },
    'a.ts:10': { path: 'a.ts', line: 10 },
    'src/a.ts:10:5': { path: 'src/a.ts', line: 10, column: 5 },
    'src/a.ts:10-20': { path: 'src/a.ts', line: 10, endLine: 20 },
    'src/a.ts#L10': { path: 'src/a.ts', line: 10 },
    'src/a.ts#L10-L20': { path: 'src/a.ts', line: 10, endLine: 20 },
    'src/a.ts#L10C3-L20C5': { path: 'src/a.ts', line: 10, column: 3, endLine: 20 },
    'src/C#/F#/a.cs:10': { path: 'src/C#/F#/a.cs', line: 10 },
    'src/a.ts#L0': { path: 'src/a.ts' },
  };
  for (const [text, expected] of Object.entries(read)) {
    it(`is read from ${text}`, () => assert.deepEqual(readFileReference(text), expected));
  }

  const refused = [
    '',
    '.',
    '..',
    '/',
    'src/',
    '../a.ts',
    'src/../../a.ts',
    'src/./a.ts',
    '/../a.ts',
    'src//a.ts',
    '//host/a',
    '\\\\host\\share',
    'src\\a.ts',
    'C:/a.ts',
    'c:\\a.ts',
    'file:///a.ts',
    'https://example.com/a.ts',
    'command:workbench.action.quit',
    'javascript:alert(1)',
    'vscode://file/a',
    'tel:5551234',
    'command:10',
    '#top',
    '#/settings',
    'docs/#/settings',
    'C#/a.cs#b',
    '?q=a',
    'a.ts?b',
    'a.ts#b',
    'a*.ts',
    'a.ts:10:5:3',
    'a.ts:$DATA',
    'a.ts::$DATA',
    '.. /a.ts',
    'a\u202e.ts',
    'a\u200b.ts',
    'a\n.ts',
    'a\u0000.ts',
    `${'a'.repeat(600)}.ts`,
    ' a.ts',
    'src/ ../a.ts',
  ];
  for (const text of refused) {
    it(`T19 is not read from ${JSON.stringify(text).slice(0, 40)}`, () =>
      assert.equal(readFileReference(text), undefined));
  }

  it('is recognised in inline code by a slash or a line number', () => {
    for (const text of ['src/a.ts', 'a.ts:10', 'src/a.ts:10:5', './src/a.test.ts', 'docs/read.me']) {
      assert.ok(looksLikeFile(text), text);
    }
    for (const text of [
      'a.ts',
      'console.log',
      'a/b',
      'and/or',
      '1:2',
      'x = a/b.c',
      'https://a/b.c',
      '10.5',
      'a.b()',
    ]) {
      assert.ok(!looksLikeFile(text), text);
    }
  });
});
