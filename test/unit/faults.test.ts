import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

const home = fileURLToPath(root);
const page = 'test/faults.md';
const untestedHeading = '## Not tested, and why';

const [tested = '', untested = ''] = read(page).split(untestedHeading);

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

/** The sources below a folder by their paths, without installed packages. */
function sources(folder: string): ReadonlyMap<string, string> {
  const files = globSync(`${folder}/**/*.{ts,mjs}`, {
    cwd: home,
    exclude: (name) => name.endsWith('node_modules'),
  });
  return new Map(files.map((file) => [file, read(file)]));
}

/** The codes that the rows of a part of the page explain. */
function explained(part: string): readonly string[] {
  return [...part.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, code = '']) => code);
}

function notIn(known: readonly string[], codes: Iterable<string>): readonly string[] {
  return [...new Set(codes)].filter((code) => !known.includes(code)).sort();
}

describe(`the codes of ${page}`, () => {
  const tests = sources('test');

  /** A title, in the call of a test or in a test's table, is a text that begins with its codes. */
  const cited = [...tests.values()].flatMap((source) =>
    [...source.matchAll(/['"`]((?:[A-Z]\d+ )+)/g)].flatMap(([, codes = '']) => codes.trim().split(' ')),
  );

  const titles = [...tests.values()].flatMap((source) =>
    [...source.matchAll(/\b(?:it|describe\w*)\(\s*(['"`])(.*?)\1/g)].map(([, , title = '']) => title),
  );

  it('are each explained once', () => {
    const codes = [...explained(tested), ...explained(untested)];
    const twice = codes.filter((code, index) => codes.indexOf(code) !== index);
    assert.deepEqual(twice, [], `${page} has several rows for these codes: leave one of each`);
  });

  it('include every code that a title cites', () => {
    assert.deepEqual(
      notIn(explained(tested), cited),
      [],
      `add a row for each of these codes to ${page}, or leave it out of the title`,
    );
  });

  it('are each cited by a title, except those listed as untested', () => {
    const missing = notIn(cited, explained(tested));
    assert.deepEqual(missing, [], `no title cites these: move them below "${untestedHeading}", with why`);
  });

  it('are at the start of titles, and no title starts with anything else that looks like a code', () => {
    const late = titles.filter((title) => /\b[PTFD]\d+\b/.test(title.replace(/^(?:[A-Z]\d+ )+/, '')));
    const bare = titles.filter((title) => /^(?:(?:[A-Z]\d+ )*[A-Z]|[\d.]+) /.test(title));
    assert.deepEqual(late, [], `put the codes at the beginning of these titles; ${page} explains them`);
    assert.deepEqual(
      bare,
      [],
      `these titles begin with a word that looks like a code, but ${page} does not have it: begin with another word`,
    );
  });

  it('include every code that a comment cites', () => {
    const comments = [...sources('src'), ...tests].flatMap(([, source]) => [
      ...source.matchAll(/^\s*(?:\/\/|\/?\*+).*$/gm),
    ]);
    const codes = comments.flatMap(([line]) => line.match(/\b[PTFD]\d+\b/g) ?? []);
    const known = [...explained(tested), ...explained(untested)];
    assert.deepEqual(notIn(known, codes), [], `comments cite these codes, which ${page} does not explain`);
  });
});
