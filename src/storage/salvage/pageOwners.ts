import { type Cell, readNode } from './cells.ts';
import type { Pages } from './pages.ts';
import { matchesSchema, type TableSchema } from './tableSchemas.ts';

/** The table or index that each page belongs to, by page number. */
export type PageOwners = ReadonlyMap<number, string>;

/** Finds the owners of pages by following the schema and its B-trees. */
export function findPageOwners(pages: Pages): PageOwners {
  const owners = new Map<number, string>();
  claimTree(pages, 1, 'sqlite_schema', owners);
  for (const number of [...owners.keys()]) {
    for (const { values } of readNode(pages, number)?.cells ?? []) {
      const [, name, , root] = values;
      if (typeof name === 'string' && typeof root === 'number') claimTree(pages, root, name, owners);
    }
  }
  return owners;
}

/** Sets the owner of all pages of a tree that do not have one yet. */
function claimTree(pages: Pages, root: number, name: string, owners: Map<number, string>): void {
  const waiting = [root];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (owners.has(number)) continue;
    const node = readNode(pages, number);
    if (!node) continue;
    owners.set(number, name);
    waiting.push(...node.children);
  }
}

/**
 * Whether every row of these tables is reachable from the schema, without missing, unreadable or misplaced pages.
 */
export function areTreesIntact(pages: Pages, schemas: readonly TableSchema[]): boolean {
  const roots = new Map<string, number>();
  const isSchemaIntact = isTreeIntact(pages, 1, ({ values: [, name, , root] }) => {
    if (typeof name === 'string' && typeof root === 'number') roots.set(name, root);
    return true;
  });
  return (
    isSchemaIntact &&
    schemas.every((schema) => {
      const root = roots.get(schema.table);
      return root !== undefined && isTreeIntact(pages, root, (row) => matchesSchema(row, schema));
    })
  );
}

/** Reads a tree in order and checks that the rowids increase. */
function isTreeIntact(pages: Pages, root: number, accepts: (row: Cell) => boolean): boolean {
  const seen = new Set<number>();
  const waiting = [root];
  let lastRowid: bigint | undefined;
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const node = seen.has(number) ? undefined : readNode(pages, number);
    if (!node?.isIntact || node.kind !== 'table') return false;
    seen.add(number);
    for (const row of node.cells) {
      if (row.rowid === undefined || (lastRowid !== undefined && row.rowid <= lastRowid) || !accepts(row))
        return false;
      lastRowid = row.rowid;
    }
    // The node stores the last child first.
    const [lastChild, ...others] = node.children;
    if (lastChild !== undefined) waiting.push(lastChild, ...others.toReversed());
  }
  return true;
}
