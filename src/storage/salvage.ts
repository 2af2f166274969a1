import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { BUSY_TIMEOUT } from './connection.ts';
import { migrate, versionOf } from './migrate.ts';

type Row = Readonly<Record<string, SQLInputValue>>;

/** SQLite's result code of a row that breaks a rule of its table. */
const CONSTRAINT = 19;

/** After so many unreadable places in a row, larger and larger stretches are passed over. */
const SMALL_STEPS = 1000;

/**
 * Copies whatever can still be read of a broken database into a new one, row by row. The new one ends at the
 * version of the broken one; nothing is copied when that version cannot be told or is not ours. Tables without
 * a rowid are not read.
 */
export function salvage(path: string, into: DatabaseSync, migrations: readonly string[]): void {
  const source = openBroken(path);
  if (!source) return;
  try {
    const version = readVersion(source);
    if (version < 1 || version > migrations.length) return;
    migrate(into, migrations, version);
    into.exec('BEGIN');
    for (const table of tablesOf(into)) copyTable(source, into, table);
    dropOrphans(into);
    into.exec('COMMIT');
  } finally {
    source.close();
  }
}

function openBroken(path: string): DatabaseSync | undefined {
  try {
    const source = new DatabaseSync(path, { readOnly: true, defensive: false });
    source.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    // Else a file that was cut short is not read at all.
    source.exec('PRAGMA writable_schema = ON');
    return source;
  } catch {
    return undefined;
  }
}

function readVersion(source: DatabaseSync): number {
  try {
    return versionOf(source);
  } catch {
    return 0;
  }
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`;
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => String(name));
}

function copyTable(source: DatabaseSync, into: DatabaseSync, table: string): void {
  const columns = into
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => `"${String(name)}"`);
  const places = columns.map(() => '?').join(', ');
  const insert = into.prepare(`INSERT OR IGNORE INTO "${table}" (${columns.join(', ')}) VALUES (${places})`);
  for (const row of readableRows(source, table, columns)) {
    try {
      insert.run(...columns.map((_, index) => row[`c${index}`] ?? null));
    } catch (error) {
      if (!isConstraint(error)) throw error;
    }
  }
}

function* readableRows(source: DatabaseSync, table: string, columns: readonly string[]): Iterable<Row> {
  const named = columns.map((column, index) => `${column} AS c${index}`).join(', ');
  const sql = `SELECT rowid AS place, ${named} FROM "${table}" WHERE rowid > ? ORDER BY rowid`;
  for (let after = 0, step = 1, failures = 0; after < Number.MAX_SAFE_INTEGER; ) {
    try {
      for (const row of source.prepare(sql).iterate(after)) {
        after = Number(row.place);
        step = 1;
        failures = 0;
        yield row as Row;
      }
      return;
    } catch {
      failures++;
      after += step;
      if (failures > SMALL_STEPS) step *= 2;
    }
  }
}

function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === CONSTRAINT;
}

/** Rows whose owner could not be read. */
function dropOrphans(database: DatabaseSync): void {
  for (const { table, rowid } of database.prepare('PRAGMA foreign_key_check').all()) {
    database.prepare(`DELETE FROM "${String(table)}" WHERE rowid = ?`).run(rowid as SQLInputValue);
  }
}
