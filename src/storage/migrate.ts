import type { DatabaseSync } from 'node:sqlite';
import { pragma } from './connection.ts';

/**
 * Migrates the schema to version `to` in one transaction. When several processes open the file at once, one
 * of them migrates it. Version n is what the first n scripts make.
 *
 * @returns the version of the file, greater than `to` when a later program wrote it
 * @throws an error of SQLite, after which the schema is unchanged
 */
export function migrate(
  connection: DatabaseSync,
  migrations: readonly string[],
  to = migrations.length,
): number {
  const version = versionOf(connection);
  if (version >= to) return version;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const script of migrations.slice(versionOf(connection), to)) connection.exec(script);
    if (versionOf(connection) < to) connection.exec(`PRAGMA user_version = ${to}`);
    connection.exec('COMMIT');
    return versionOf(connection);
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** The schema version that the file holds; 0 for a new file. */
export function versionOf(connection: DatabaseSync): number {
  return Number(pragma(connection, 'user_version'));
}
