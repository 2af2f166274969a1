import type { DatabaseSync } from 'node:sqlite';
import type { Cell, Node, Value } from './cells.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Whether a record may end before this column, because a migration added the column to a table with rows. */
  readonly mayBeAbsent: boolean;
  /** Whether the column is an alias of the rowid. A record does not contain it. */
  readonly isRowid: boolean;
}

/** The columns of a table, to recognize its rows. */
export interface TableSchema {
  readonly table: string;
  readonly columns: readonly Column[];
}

/** The schemas of all tables of an intact database, in the order of their creation. */
export function readTableSchemas(database: DatabaseSync): readonly TableSchema[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`;
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => ({ table: String(name), columns: readColumns(database, String(name)) }));
}

function readColumns(database: DatabaseSync, table: string): readonly Column[] {
  const columns = database
    .prepare('SELECT name, type, "notnull", pk, dflt_value AS defaultValue FROM pragma_table_info(?)')
    .all(table);
  const keyCount = columns.filter(({ pk }) => Number(pk) > 0).length;
  return columns.map(({ name, type, notnull, pk, defaultValue }) => ({
    name: String(name),
    type: String(type),
    isRequired: notnull === 1 || pk !== 0,
    mayBeAbsent: (notnull === 0 && pk === 0) || defaultValue !== null,
    isRowid: type === 'INTEGER' && pk === 1 && keyCount === 1,
  }));
}

/** The rows of one table in one node. */
interface FoundRows {
  readonly schema: TableSchema;
  readonly rows: readonly Cell[];
}

/**
 * Finds the table of a node by its rows, because the tree above the node may be damaged. Rows that do not match are
 * skipped.
 *
 * @param owner the table whose tree contains the node, if any
 * @returns undefined if no table or several tables match
 */
export function findRows(
  { kind, cells }: Node,
  schemas: readonly TableSchema[],
  owner: string | undefined,
): FoundRows | undefined {
  if (kind !== 'table') return undefined;
  const ownSchema = schemas.find(({ table }) => table === owner);
  if (ownSchema && cells.length > 0 && cells.every((cell) => matchesSchema(cell, ownSchema))) {
    return { schema: ownSchema, rows: cells };
  }
  const found = schemas.map((schema) => ({
    schema,
    rows: cells.filter((cell) => matchesSchema(cell, schema)),
  }));
  const maxRows = Math.max(1, ...found.map(({ rows }) => rows.length));
  const likeliest = found.filter(({ rows }) => rows.length === maxRows);
  const owned = likeliest.find(({ schema }) => schema.table === owner);
  return owned ?? (likeliest.length === 1 ? likeliest[0] : undefined);
}

/** Whether a record matches a schema. A record that is older than a column ends before that column. */
export function matchesSchema({ values }: Cell, { columns }: TableSchema): boolean {
  if (values.length > columns.length) return false;
  return columns.every(({ type, isRequired, isRowid, mayBeAbsent }, index) => {
    const value = values[index];
    if (value === undefined) return mayBeAbsent;
    if (isRowid) return value === null;
    return value === null ? !isRequired : isOfType(value, type);
  });
}

function isOfType(value: NonNullable<Value>, type: string): boolean {
  switch (type) {
    case 'TEXT':
      return typeof value === 'string';
    case 'INTEGER':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'REAL':
      return typeof value === 'bigint' || typeof value === 'number';
    case 'BLOB':
      return value instanceof Uint8Array;
    default:
      return true;
  }
}
