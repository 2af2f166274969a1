import { readNode } from './cells.ts';
import type { Pages } from './pages.ts';

/** The table or index that each page belongs to, by page number. */
export type PageOwners = ReadonlyMap<number, string>;

/** Follows the schema and its B-trees to all pages that they reach. */
export function pageOwnersOf(pages: Pages): PageOwners {
  const owners = new Map<number, string>();
  claim(pages, 1, 'sqlite_schema', owners);
  for (const number of [...owners.keys()]) {
    for (const { values } of readNode(pages, number)?.cells ?? []) {
      const [, name, , root] = values;
      if (typeof name === 'string' && typeof root === 'number') claim(pages, root, name, owners);
    }
  }
  return owners;
}

function claim(pages: Pages, root: number, name: string, owners: Map<number, string>): void {
  const waiting = [root];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (owners.has(number)) continue;
    const node = readNode(pages, number);
    if (!node) continue;
    owners.set(number, name);
    waiting.push(...node.children);
  }
}
