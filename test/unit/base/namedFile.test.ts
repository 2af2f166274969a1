import assert from 'node:assert/strict';
import { findNamedFile } from '../../../src/base/fileReference.ts';
import { assertLinear } from '../../support/linearCost.ts';

describe('the file named by a code block', () => {
  const inInfo = (info: string) => findNamedFile(info, 'const a = 1;\n')?.reference.path;
  const inCode = (code: string) => findNamedFile('ts', code)?.reference.path;

  it('is read from the info string of the fence', () => {
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

  it('is read from a comment on the first line', () => {
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
    assert.equal(findNamedFile('ts b.ts', '// src/a.ts\n')?.isInFirstLine, false);
  });

  it('is ignored if its path leaves the folder, is absolute or has invalid characters', () => {
    for (const path of ['../a.ts', 'src/../../a.ts', 'C:\\a.ts', '//host/a.ts', 'a\u202e.ts', 'a\u0007.ts'])
      assert.equal(inInfo(`ts ${path}`), undefined, path);
  });

  it('P9 is searched for in linear time in a repetitive reply', () => {
    for (const repeated of [' ', 'file ', 'file="', 'a.b:']) {
      assertLinear(
        (n) => repeated.repeat(n),
        (words) => {
          findNamedFile(`ts ${words}b`, '');
          findNamedFile('', `// a${words}b`);
        },
      );
    }
  });
});
