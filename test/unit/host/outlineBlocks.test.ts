import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import { splitIntoBlocks } from '../../../src/host/chat/outline/outlineBlocks.ts';
import { TreeRowCache } from '../../../src/host/kit/display/treeRowCache.ts';

describe('the rows of a long outline', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);

  it('are grouped into blocks in order, unless the outline is short', () => {
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

  it('are updated only in the last block when a question is added', () => {
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
