import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

type Graph = ReadonlyMap<string, readonly string[]>;

/** The source of an import or an export, including type imports and dynamic imports. */
const importPattern = /\b(?:from|import)\s*\(?\s*'(\.[^'\n]+)'/g;

/** Each file of src, and the files of src that it names, types included. */
function readImports(): Graph {
  const home = fileURLToPath(root);
  const files = globSync('src/**/*.ts', { cwd: home }).map((file) => file.replaceAll('\\', '/'));
  return new Map(files.map((file) => [file, listSources(file)]));
}

function listSources(file: string): readonly string[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  return [...text.matchAll(importPattern)].map(([, path = '']) =>
    new URL(path, `file:///${file}`).pathname.slice(1),
  );
}

/** Removes nodes without successors until none is left. The rest are cycles and the nodes that lead to them. */
function keepCyclesAndPredecessors(graph: Graph): Graph {
  const remaining = [...graph].map(([node, next]) => [node, next.filter((each) => graph.has(each))] as const);
  const open = remaining.filter(([, next]) => next.length > 0);
  return open.length === graph.size ? graph : keepCyclesAndPredecessors(new Map(open));
}

/** The nodes of all cycles, and the nodes between two cycles. */
function findCycles(graph: Graph): readonly string[] {
  const forward = keepCyclesAndPredecessors(graph);
  const reversed = new Map([...forward.keys()].map((node) => [node, findPredecessors(forward, node)]));
  return [...keepCyclesAndPredecessors(reversed).keys()].toSorted();
}

function findPredecessors(graph: Graph, to: string): readonly string[] {
  return [...graph].filter(([, next]) => next.includes(to)).map(([from]) => from);
}

describe('the files of src/', () => {
  it('have no import cycles, types included', () => {
    const graph = readImports();
    assert.ok(graph.get('src/extension.ts')?.length, 'no import was found');
    const files = findCycles(graph);
    const importsInCycles = new Map(
      files.map((file) => [file, graph.get(file)?.filter((to) => files.includes(to))]),
    );
    assert.deepEqual(
      Object.fromEntries(importsInCycles),
      {},
      'these files import each other in a cycle, types included: merge them if they are one concept, or move ' +
        'what they share to the file to which it belongs',
    );
  });

  it('are found if they are in a cycle', () => {
    const graph = new Map([
      ['in', ['a']],
      ['a', ['b', 'out']],
      ['b', ['c', 'a']],
      ['c', ['a']],
      ['out', []],
      ['alone', ['alone']],
    ]);
    assert.deepEqual(findCycles(graph), ['a', 'alone', 'b', 'c']);
  });
});
