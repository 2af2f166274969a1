import type { DatabaseSync } from 'node:sqlite';
import type { Cell, Node, Value } from './cells.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Another name for the row's number, which is not within the row. */
  readonly isRowid: boolean;
}

/** What rows of a table look like. */
export interface Shape {
  readonly table: string;
  readonly columns: readonly Column[];
}

/** The shapes of all tables of a sound database, in the order in which they were made. */
export function shapesOf(database: DatabaseSync): readonly Shape[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`;
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => ({ table: String(name), columns: columnsOf(database, String(name)) }));
}

function columnsOf(database: DatabaseSync, table: string): readonly Column[] {
  const columns = database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(table);
  const keys = columns.filter(({ pk }) => Number(pk) > 0).length;
  return columns.map(({ name, type, notnull, pk }) => ({
    name: String(name),
    type: String(type),
    isRequired: notnull === 1 || pk !== 0,
    isRowid: type === 'INTEGER' && pk === 1 && keys === 1,
  }));
}

/** Rows of one table that lie in one node. */
export interface FoundRows {
  readonly shape: Shape;
  readonly rows: readonly Cell[];
}

/**
 * Tells by a node's rows alone whose they are: what led there may be broken, or lead elsewhere. A few may be broken
 * themselves, and are left out.
 *
 * @param owner the table that leads there, if one does
 */
export function rowsIn(
  { kind, cells }: Node,
  shapes: readonly Shape[],
  owner: string | undefined,
): FoundRows | undefined {
  if (kind !== 'table') return undefined;
  const found = shapes.map((shape) => ({ shape, rows: cells.filter((cell) => fits(cell, shape)) }));
  const most = Math.max(1, ...found.map(({ rows }) => rows.length));
  const likeliest = found.filter(({ rows }) => rows.length === most);
  const owned = likeliest.find(({ shape }) => shape.table === owner);
  return owned ?? (likeliest.length === 1 ? likeliest[0] : undefined);
}

/** Rows from before a column was added end before it. */
function fits({ values }: Cell, { columns }: Shape): boolean {
  if (values.length > columns.length) return false;
  return columns.every(({ type, isRequired, isRowid }, index) => {
    const value = values[index];
    if (value === undefined) return index > 0;
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
