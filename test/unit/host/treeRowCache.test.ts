import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import { splitIntoBlocks, type TreeRow, TreeRowCache } from '../../../src/host/kit/display/treeRowCache.ts';
import { missingRow, withMissingRow } from '../../../src/host/kit/manifest/command.ts';

interface Node {
  readonly name: string;
  readonly size?: number;
}

function row(name: string, look: unknown = '', ...children: readonly TreeRow<Node>[]): TreeRow<Node> {
  return { id: name, node: { name }, look, item: () => ({ label: `${name} ${look}` }) as TreeItem, children };
}

function names(nodes: readonly Node[] | undefined): readonly string[] | undefined {
  return nodes?.map(({ name }) => name);
}

describe('the cached rows of a view', () => {
  let rows: TreeRowCache<Node>;

  beforeEach(() => {
    rows = new TreeRowCache<Node>();
    const changedRows = rows.update([row('running', 2, row('a'), row('b')), row('completed', 1, row('c'))]);
    assert.equal(changedRows, undefined, 'all are new');
  });

  function children(nth: number): readonly Node[] {
    const root = rows.roots[nth];
    assert.ok(root);
    return rows.findChildren(root);
  }

  it('are not reported again without a change', () => {
    const before = [rows.roots, children(0), children(1)];
    const again = [row('running', 2, row('a'), row('b')), row('completed', 1, row('c'))];
    assert.deepEqual(rows.update(again), []);
    assert.deepEqual([rows.roots, children(0), children(1)], before);
    for (const [nth, node] of children(0).entries()) assert.equal(node, before[1]?.[nth]);
  });

  it('are reported one by one when only their labels changed, with the same nodes', () => {
    const [a, b] = children(0);
    assert.ok(a && b);
    const changed = rows.update([
      row('running', 2, row('a'), row('b', 'new')),
      row('completed', 1, row('c')),
    ]);
    assert.deepEqual(changed, [b]);
    assert.equal(changed?.[0], b);
    assert.deepEqual(
      [a, b].map((node) => rows.createItem(node)?.label),
      ['a ', 'b new'],
    );
  });

  it('are reported by their groups when rows are added, removed or moved', () => {
    const [, b] = children(0);
    const moved = rows.update([row('running', 1, row('a')), row('completed', 2, row('b'), row('c'))]);
    assert.deepEqual(names(moved), ['running', 'completed']);
    assert.equal(children(1)[0], b);
    assert.deepEqual(b && rows.findParent(b), rows.roots[1]);
  });

  it('are all reported when a group is removed, and removed rows are forgotten', () => {
    const [c] = children(1);
    assert.ok(c);
    assert.equal(rows.update([row('running', 2, row('a'), row('b'))]), undefined);
    assert.equal(rows.createItem(c), undefined);
    assert.deepEqual(rows.findChildren(c), []);
  });

  it('have the same nodes with updated content', () => {
    const [running] = rows.roots;
    const bigger = { ...row('running', 2, row('a'), row('b')), node: { name: 'running', size: 2 } };
    rows.update([bigger, row('completed', 1, row('c'))]);
    assert.equal(rows.roots[0], running);
    assert.equal(running?.size, 2);
  });
});

describe('the rows of a long list', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);

  it('are grouped into blocks in order, unless the list is short', () => {
    assert.equal(splitIntoBlocks(numbers(100)), undefined);
    const blocks = splitIntoBlocks(numbers(250)) ?? [];
    assert.deepEqual(
      blocks.map(({ first, rows }) => [first, rows.length]),
      [
        [1, 100],
        [101, 100],
        [201, 50],
      ],
    );
    assert.deepEqual(
      blocks.flatMap(({ rows }) => rows),
      numbers(250),
    );
  });

  it('are updated only in the last block when a row is added', () => {
    const known = new TreeRowCache<{ readonly id: string }>();
    const row = (id: string) => ({ id, node: { id }, look: id, item: () => ({ label: id }) as TreeItem });
    const update = (count: number) =>
      known.update(
        (splitIntoBlocks(numbers(count)) ?? []).map(({ first, rows }) => ({
          ...row(`block ${first}`),
          children: rows.map((number) => row(String(number))),
        })),
      );
    update(250);
    assert.deepEqual(
      update(251)?.map(({ id }) => id),
      ['block 201'],
    );
  });
});

describe('the row of a command', () => {
  it('is marked as missing if VS Code passes undefined for it', () => {
    assert.deepEqual(withMissingRow([]), []);
    assert.deepEqual(withMissingRow([{ kind: 'task' }, undefined]), [{ kind: 'task' }, undefined]);
    assert.deepEqual(withMissingRow([null]), [null]);
    const [row, selected] = withMissingRow([undefined, undefined]);
    assert.equal(row, missingRow);
    assert.equal(selected, undefined);
  });
});
