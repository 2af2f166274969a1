import type { DatabaseSync } from 'node:sqlite';
import { readNode, type Value } from './cells.ts';
import type { PageOwners } from './pageOwners.ts';
import type { Pages } from './pages.ts';

/** What the indexes of a table still tell about its rows: the values of the indexed columns by rowid. */
export function entriesOf(
  pages: Pages,
  owners: PageOwners,
  table: string,
  intact: DatabaseSync,
): ReadonlyMap<bigint, ReadonlyMap<string, Value>> {
  const indexes = new Map(
    intact
      .prepare('SELECT name FROM pragma_index_list(?)')
      .all(table)
      .map(({ name }) => [String(name), columnsOf(intact, String(name))]),
  );
  const rows = new Map<bigint, Map<string, Value>>();
  for (const number of pages.numbers) {
    const columns = indexes.get(owners.get(number) ?? '');
    const node = columns && readNode(pages, number);
    if (!columns || node?.kind !== 'index') continue;
    for (const { values } of node.cells) {
      const rowid = values.at(-1);
      if (values.length !== columns.length + 1 || (typeof rowid !== 'number' && typeof rowid !== 'bigint'))
        continue;
      const row = rows.get(BigInt(rowid)) ?? new Map<string, Value>();
      rows.set(BigInt(rowid), row);
      columns.forEach((column, index) => {
        row.set(column, values[index] ?? null);
      });
    }
  }
  return rows;
}

function columnsOf(intact: DatabaseSync, index: string): readonly string[] {
  return intact
    .prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
    .all(index)
    .map(({ name }) => String(name));
}
