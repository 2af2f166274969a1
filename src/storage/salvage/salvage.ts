import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parseJson } from '../../base/json.ts';
import { migrate } from '../sqlite/migrate.ts';
import { type Cell, readNode, type Value } from './cells.ts';
import { openPages, type Pages } from './pages.ts';
import { findRows, matchesSchema, readTableSchemas, type TableSchema } from './tableSchemas.ts';

/** How to save the rows of a schema from a damaged file. */
export interface SalvagePlan {
  /** The table whose rows are counted in the report to the user. */
  readonly counted: string;
  /**
   * Values for the columns without an index, for rows that remain only in indexes. Without these values, such
   * rows are lost. Columns that the version of the damaged file does not have are omitted.
   */
  readonly fill?: Fill;
  /** The same for rows of other tables, keyed by table name. */
  readonly fillOthers?: Readonly<Record<string, Fill>>;
  /**
   * SQL that runs after the rows are saved and corrects stale values. It can use the function `is_json`, which
   * accepts deeply nested JSON, unlike `json_valid`.
   */
  readonly after?: string;
  /** Fills tables that are derived from other tables; runs last. */
  readonly derive?: (database: DatabaseSync) => void;
  /** SQL that runs before `after` if the newest transactions may be missing. */
  readonly afterLoss?: string;
}

type Fill = Readonly<Record<string, SQLInputValue>>;

export interface Salvaged {
  /** The number of saved rows of the counted table. */
  readonly saved: number;
  /** The number of rows of the counted table that are known to be lost. */
  readonly lost: number;
  /** Whether every row of every table was certainly saved. */
  readonly isComplete: boolean;
}

/** SQLite's result code SQLITE_CONSTRAINT. */
const constraintCode = 19;

/**
 * Copies every readable row of a damaged database into a new, empty one. Reads all pages, even pages that do not belong
 * to a B-tree. The new database gets the version of the damaged one, or the latest version if that cannot be read. A
 * database of a later version is not copied. Tables WITHOUT ROWID are not read.
 */
export function salvage(
  path: string,
  target: DatabaseSync,
  migrations: readonly string[],
  plan: SalvagePlan | undefined,
): Salvaged {
  const pages = openPages(path);
  try {
    return salvagePages(pages, target, migrations, plan);
  } finally {
    pages.close();
  }
}

function salvagePages(
  pages: Pages,
  target: DatabaseSync,
  migrations: readonly string[],
  plan: SalvagePlan | undefined,
): Salvaged {
  const version = pages.version || migrations.length;
  if (version > migrations.length) return { saved: 0, lost: 0, isComplete: false };
  migrate(target, migrations, version);
  target.exec('BEGIN');
  const owners = findPageOwners(pages);
  const schemas = readTableSchemas(target);
  const writer = new RowWriter(target);
  target.function('is_json', { deterministic: true }, (text) => {
    if (isJson(text)) return 1;
    // Damaged values are dropped.
    writer.isIncomplete = true;
    return 0;
  });
  const tablesWithStrayRows = copyRows(pages, owners, schemas, target, writer);
  const counted = schemas.find(({ table }) => table === plan?.counted);
  const lostRowids = new Set<unknown>();
  for (const schema of schemas) {
    const fill = schema === counted ? (plan?.fill ?? {}) : plan?.fillOthers?.[schema.table];
    const lost = copyEntries(pages, owners, schema, fill, target, writer);
    if (schema === counted) for (const rowid of lost) lostRowids.add(rowid);
  }
  const missingRows = dropOrphans(target, counted?.table);
  const mayBeOld = pages.isWalDamaged || (counted && tablesWithStrayRows.has(counted));
  if (mayBeOld && plan?.afterLoss !== undefined) target.exec(plan.afterLoss);
  if (plan?.after !== undefined) target.exec(plan.after);
  plan?.derive?.(target);
  target.exec('COMMIT');
  const lost = Math.max(lostRowids.size, missingRows);
  return {
    saved: counted ? countRows(target, counted.table) : 0,
    lost,
    isComplete:
      lost === 0 &&
      tablesWithStrayRows.size === 0 &&
      !pages.isWalDamaged &&
      !writer.isIncomplete &&
      areTreesIntact(pages, schemas),
  };
}

/** Whether a value is NULL or valid JSON. */
function isJson(text: unknown): boolean {
  return text === null || parseJson(String(text)) !== undefined;
}

/**
 * Copies the rows of all pages. Pages in the tree of a table are copied first, because other pages may be older.
 *
 * @returns the tables with rows from pages outside their tree
 */
function copyRows(
  pages: Pages,
  owners: PageOwners,
  schemas: readonly TableSchema[],
  target: DatabaseSync,
  writer: RowWriter,
): ReadonlySet<TableSchema> {
  const inTrees = pages.numbers.filter((number) => owners.has(number));
  const outsideTrees = pages.numbers.filter((number) => !owners.has(number));
  const clearedTables = new Set<TableSchema>();
  const tablesWithStrayRows = new Set<TableSchema>();
  for (const number of [...inTrees, ...outsideTrees]) {
    const owner = owners.get(number);
    const node = owner === 'sqlite_schema' ? undefined : readNode(pages, number);
    const found = node && findRows(node, schemas, owner);
    if (!found) continue;
    const { schema, rows } = found;
    // The damaged file also contains the rows that the migrations insert.
    if (!clearedTables.has(schema)) target.exec(`DELETE FROM "${schema.table}"`);
    clearedTables.add(schema);
    if (owner !== schema.table) tablesWithStrayRows.add(schema);
    for (const row of rows) insertRow(writer, schema, row);
  }
  return tablesWithStrayRows;
}

function insertRow(writer: RowWriter, { table, columns }: TableSchema, { rowid, values }: Cell): void {
  const columnValues = columns.slice(0, values.length).flatMap(({ name, isRowid }, index) => {
    return isRowid ? [] : [[name, values[index] ?? null] as const];
  });
  writer.insert(table, new Map<string, Value>([['rowid', rowid ?? null], ...columnValues]));
}

/**
 * @param fill undefined for a table whose rows cannot be filled in
 * @returns the rowids in indexes whose rows could not be inserted
 */
function copyEntries(
  pages: Pages,
  owners: PageOwners,
  { table, columns }: TableSchema,
  fill: Fill | undefined,
  target: DatabaseSync,
  writer: RowWriter,
): ReadonlySet<unknown> {
  const lost = new Set<unknown>();
  const fillValues = Object.entries(fill ?? {}).filter(([name]) =>
    columns.some((column) => column.name === name),
  );
  const findRow = target.prepare(`SELECT 1 FROM "${table}" WHERE rowid = ?`);
  for (const [rowid, indexedValues] of readEntries(pages, owners, table, target)) {
    if (findRow.get(rowid)) continue;
    writer.isIncomplete = true;
    const row = new Map<string, SQLInputValue>([['rowid', rowid], ...fillValues, ...indexedValues]);
    if (!fill || !writer.insert(table, row)) lost.add(rowid);
  }
  return lost;
}

/** Reads the indexes of a table: the values of the indexed columns by rowid. */
function readEntries(
  pages: Pages,
  owners: PageOwners,
  table: string,
  target: DatabaseSync,
): ReadonlyMap<bigint, ReadonlyMap<string, Value>> {
  const indexes = new Map(
    target
      .prepare('SELECT name FROM pragma_index_list(?)')
      .all(table)
      .map(({ name }) => [String(name), readIndexColumns(target, String(name))]),
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

function readIndexColumns(target: DatabaseSync, index: string): readonly string[] {
  return target
    .prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
    .all(index)
    .map(({ name }) => String(name));
}

/** Inserts rows. All rows of a table with the same columns use one statement. */
class RowWriter {
  readonly #target: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Whether a row was rejected, is known only from an index, or is damaged. */
  isIncomplete = false;

  constructor(target: DatabaseSync) {
    this.#target = target;
  }

  /** @returns false if the row violates a constraint of the table, or exists already */
  insert(table: string, row: ReadonlyMap<string, SQLInputValue>): boolean {
    try {
      const { changes } = this.#statement(table, [...row.keys()]).run(...row.values());
      if (Number(changes) > 0) return true;
    } catch (error) {
      if (!isConstraint(error)) throw error;
    }
    this.isIncomplete = true;
    return false;
  }

  #statement(table: string, columns: readonly string[]): StatementSync {
    const names = columns.map((name) => (name === 'rowid' ? name : `"${name}"`)).join(', ');
    const parameters = columns.map(() => '?').join(', ');
    const sql = `INSERT OR IGNORE INTO "${table}" (${names}) VALUES (${parameters})`;
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.#target.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === constraintCode;
}

/**
 * Deletes rows whose foreign key points to a missing row.
 *
 * @returns the number of missing rows of the counted table
 */
function dropOrphans(database: DatabaseSync, counted: string | undefined): number {
  const missing = new Set<unknown>();
  for (const { table, rowid, parent, fkid } of database.prepare('PRAGMA foreign_key_check').all()) {
    const keys = database.prepare('SELECT "from" AS name FROM pragma_foreign_key_list(?) WHERE id = ?');
    const name = keys.get(String(table), Number(fkid))?.name;
    const at = rowid as SQLInputValue;
    const row = database.prepare(`SELECT "${String(name)}" AS key FROM "${String(table)}" WHERE rowid = ?`);
    if (parent === counted) missing.add(row.get(at)?.key);
    database.prepare(`DELETE FROM "${String(table)}" WHERE rowid = ?`).run(at);
  }
  return missing.size;
}

function countRows(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n);
}

/** The table or index that each page belongs to, by page number. */
type PageOwners = ReadonlyMap<number, string>;

/** Finds the owners of pages by following the schema and its B-trees. */
function findPageOwners(pages: Pages): PageOwners {
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

/** Sets the owner of all pages of a tree that do not have an owner yet. */
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
function areTreesIntact(pages: Pages, schemas: readonly TableSchema[]): boolean {
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
