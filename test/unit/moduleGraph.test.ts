import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { sourceFiles, writtenImports } from '../support/sourceImports.ts';

/** The longest way from a file down its imports, at run time: whoever follows a call passes at most so many files. */
const longestChain = 22;

/** How many names each room may export. Fewer is better: lower a number when the room needs fewer. */
const mostExports: Readonly<Record<string, number>> = {};

/** Files of fewer lines that only one file imports belong into it, unless they are in `apart`. */
const fewLines = 60;

/** Why small files with one importer are files of their own. */
const apart: Readonly<Record<string, readonly string[]>> = {};

describe('the modules of src/', () => {
  const files = sourceFiles();
  const imports = writtenImports(files);

  it('lie in folders that import one way, types included', () => {
    const cycles = foldersInCycles(
      imports
        .map(({ from, to }) => [posix.dirname(from), posix.dirname(to)] as const)
        .filter(([from, to]) => from !== to && room(from) === room(to)),
    );
    assert.deepEqual(
      cycles,
      [],
      'these folders import each other: move what both need into a folder below them, or pass it in',
    );
  });

  it(`form chains of at most ${longestChain} imports`, () => {
    const importsOf = new Map<string, string[]>();
    for (const { from, to, isType } of imports) {
      if (!isType && files.has(to)) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
    }
    const chains = new Map<string, readonly string[]>();
    const chainOf = (file: string): readonly string[] => {
      const known = chains.get(file);
      if (known) return known;
      const below = (importsOf.get(file) ?? []).map(chainOf);
      const longest = below.reduce((one, other) => (other.length > one.length ? other : one), []);
      const chain = [file, ...longest];
      chains.set(file, chain);
      return chain;
    };
    const longest = [...files.keys()].map(chainOf).sort((one, other) => other.length - one.length)[0] ?? [];
    assert.ok(longest.length <= longestChain, `a step of this chain can go:\n${longest.join('\n')}`);
  });

  it(`of fewer than ${fewLines} lines and one importer are in it, or listed with the reason`, () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
    const small = [...files].filter(([, text]) => text.split('\n').length <= fewLines);
    const fragments = small.map(([file]) => file).filter((file) => importers.get(file)?.size === 1);
    const listed = Object.values(apart).flat();
    assert.deepEqual(
      {
        fragments: fragments.filter((file) => !listed.includes(file)),
        listedInVain: listed.filter((file) => !fragments.includes(file)),
      },
      { fragments: [], listedInVain: [] },
      'merge each fragment into its only importer, or list it in `apart` in test/unit/moduleGraph.test.ts',
    );
  });

  it('export no more names than each room is allowed', () => {
    const counts = new Map<string, number>();
    for (const [file, text] of files) {
      const names = [...text.matchAll(/^export (?!\*|\{|type \{)/gm)].length;
      counts.set(room(file), (counts.get(room(file)) ?? 0) + names);
    }
    for (const [name, count] of counts) {
      assert.ok(
        count <= (mostExports[name] ?? 0),
        `${name} exports ${count} names: drop \`export\` where no other file needs it, or merge files`,
      );
    }
  });
});

function room(file: string): string {
  return file.split('/')[1] ?? file;
}

/** The groups of folders of which each reaches each other by imports. */
function foldersInCycles(edges: readonly (readonly [string, string])[]): readonly (readonly string[])[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reached = new Map([...next.keys()].map((folder) => [folder, reachable(folder, next)] as const));
  const groups = new Map<string, readonly string[]>();
  for (const [folder, below] of reached) {
    if (!below.has(folder)) continue;
    const group = [...below].filter((other) => reached.get(other)?.has(folder)).sort();
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

function reachable(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const other of next.get(folder) ?? []) {
      if (seen.has(other)) continue;
      seen.add(other);
      open.push(other);
    }
  }
  return seen;
}
