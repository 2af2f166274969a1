import assert from 'node:assert/strict';
import { namedFile } from '../../../src/base/namedFile.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('the file that a block of code names', () => {
  const inInfo = (info: string) => namedFile(info, 'const a = 1;\n')?.reference.path;
  const inCode = (code: string) => namedFile('ts', code)?.reference.path;

  it('stands after its fence', () => {
    for (const info of [
      'ts src/a.ts',
      'ts:src/a.ts',
      'src/a.ts',
      'ts title="src/a.ts"',
      "ts {file='src/a.ts'}",
      'ts filename=src/a.ts',
      'ts path:src/a.ts',
      'ts src/a.ts#L10-20',
    ]) {
      assert.equal(inInfo(info), 'src/a.ts', info);
    }
    assert.equal(inInfo('ts title="my file.ts"'), 'my file.ts');
    for (const info of ['', 'ts', 'c++', 'ts {1,3-4}', 'python3', 'https://example.com/a.ts'])
      assert.equal(inInfo(info), undefined, info);
  });

  it('or in a comment on its first line', () => {
    for (const line of [
      '// src/a.ts',
      '# src/a.ts',
      '/* src/a.ts */',
      '<!-- src/a.ts -->',
      '-- File: src/a.ts',
      '; src/a.ts',
    ]) {
      assert.equal(inCode(`${line}\ncode`), 'src/a.ts', line);
    }
    for (const line of ['// see src/a.ts', '#include <a.h>', '# Title', 'src/a.ts', '// e.g.'])
      assert.equal(inCode(`${line}\ncode`), undefined, line);
    assert.equal(namedFile('ts b.ts', '// src/a.ts\n')?.isInFirstLine, false);
  });

  it('is none with a way out, a place of its own or characters that no name has', () => {
    for (const path of ['../a.ts', 'src/../../a.ts', 'C:\\a.ts', '//host/a.ts', 'a\u202e.ts', 'a\u0007.ts'])
      assert.equal(inInfo(`ts ${path}`), undefined, path);
  });

  it('P9 is looked for in time that grows with the words, whatever a reply repeats', () => {
    for (const repeated of [' ', 'file ', 'file="', 'a.b:']) {
      assertLinear(
        (n) => repeated.repeat(n),
        (words) => {
          namedFile(`ts ${words}b`, '');
          namedFile('', `// a${words}b`);
        },
      );
    }
  });
});
