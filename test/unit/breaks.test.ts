import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { root } from '../../scripts/root.mjs';
import { wrongPatches } from '../breaks/wrongPatches.ts';

/** The promises whose tests are tried with wrong patches: P1 to P15. */
const promises = Array.from({ length: 15 }, (_, nth) => `P${nth + 1}`);

const leastPerPromise = 2;

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

describe('the wrong patches of test/breaks', () => {
  it('each change a text that occurs exactly once in its file', () => {
    const outdated = wrongPatches.filter(
      ({ file, find, replace }) => read(file).split(find).length !== 2 || find === replace,
    );
    assert.deepEqual(
      outdated.map(({ file, find }) => `${file}: ${find}`),
      [],
      'write these patches again for the present source, so that their behaviour is still wrong',
    );
  });

  it('each change the product, its manifest, or the scripts that pack it', () => {
    const others = wrongPatches.filter(({ file }) => !/^(?:src|scripts)\/|^package\.json$/.test(file));
    assert.deepEqual(others, []);
  });

  it('each name test files that run without VS Code, or that pack the extension', () => {
    const tests = wrongPatches.flatMap((patch) => patch.tests);
    const unusable = tests.filter((file) => !/^test\/(?:unit|contract|host|ui)\/.*\.test\.ts$/.test(file));
    assert.deepEqual(unusable, [], 'scripts/breakTests.mjs cannot run these');
    assert.deepEqual(
      tests.filter((file) => !existsSync(new URL(file, root))),
      [],
      'these files do not exist',
    );
  });

  it('each select a title that is in one of their test files', () => {
    const unmatched = wrongPatches.filter(
      ({ tests, grep = '' }) => !tests.some((file) => read(file).includes(grep)),
    );
    assert.deepEqual(
      unmatched.map(({ title, grep }) => `${title}: ${grep}`),
      [],
    );
  });

  it('have different titles', () => {
    const titles = wrongPatches.map(({ promise, title }) => `${promise} ${title}`);
    assert.equal(new Set(titles).size, titles.length);
  });

  it(`include at least ${leastPerPromise} for each promise`, () => {
    const countPatches = (promise: string) =>
      wrongPatches.filter((patch) => patch.promise === promise).length;
    assert.deepEqual(
      promises.filter((promise) => countPatches(promise) < leastPerPromise),
      [],
      'add wrong patches for these promises to test/breaks',
    );
  });
});
