import type { DatabaseSync } from 'node:sqlite';
import { pragma } from './connection.ts';

/**
 * Brings the schema from whatever version it has to version `to`, in one transaction: of several processes that
 * open the file at once, one does it. Version n is what the first n scripts make.
 *
 * @returns the version the file has now: greater than `to` when a later program wrote it
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

export function versionOf(connection: DatabaseSync): number {
  return Number(pragma(connection, 'user_version'));
}
