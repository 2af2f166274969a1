import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

const maxLines = 400;

describe('the files of the project', () => {
  it(`have at most ${maxLines} lines`, () => {
    const files = globSync('{src,test,scripts}/**/*.{ts,mjs,cjs,css}', {
      cwd: fileURLToPath(root),
      exclude: (path) => path.endsWith('node_modules'),
    });
    assert.ok(files.length > 500, 'no files were found');
    const long = files.filter((file) => countLines(file) > maxLines);
    assert.deepEqual(
      long,
      [],
      'split each of these along its concepts, and give each part the name by which somebody would look for it',
    );
  });
});

function countLines(file: string): number {
  return readFileSync(new URL(file.replaceAll('\\', '/'), root), 'utf8').split('\n').length - 1;
}
