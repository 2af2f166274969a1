import type { DatabaseSync } from 'node:sqlite';
import { readPragma } from './connection.ts';
import { StorageError } from './storageError.ts';

/**
 * Migrates the schema to version `to` in one transaction. If several processes open the file at once, only one
 * migrates it. The first n scripts create version n.
 *
 * @returns the version of the file; greater than `to` if a later program wrote it
 * @throws an error of SQLite, after which the schema is unchanged
 */
export function migrate(
  connection: DatabaseSync,
  migrations: readonly string[],
  to = migrations.length,
): number {
  const version = readVersion(connection);
  if (version >= to) return version;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const script of migrations.slice(readVersion(connection), to)) connection.exec(script);
    if (readVersion(connection) < to) connection.exec(`PRAGMA user_version = ${to}`);
    connection.exec(`PRAGMA application_id = ${repeatVersion(readVersion(connection))}`);
    connection.exec('COMMIT');
    return readVersion(connection);
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** The schema version of the file; 0 for a new file. */
export function readVersion(connection: DatabaseSync): number {
  return Number(readPragma(connection, 'user_version'));
}

/**
 * Checks the version in the header against its copies.
 *
 * @throws {StorageError} of kind `damaged` if a bit of the version is wrong
 */
export function assertVersion(connection: DatabaseSync): void {
  const version = readVersion(connection);
  if (findTrueVersion(version, Number(readPragma(connection, 'application_id'))) === version) return;
  throw new StorageError('damaged', 'The version in the header of the database is wrong.');
}

/**
 * The schema version of a file whose header may be damaged.
 *
 * @param version the version in the header
 * @param copies the application id, whose four bytes are copies of the version unless another program uses it
 */
export function findTrueVersion(version: number, copies: number): number {
  const bytes = [24, 16, 8, 0].map((shift) => (copies >>> shift) & 0xff);
  const copiedVersion = bytes.find((byte) => byte > 0 && bytes.filter((other) => other === byte).length >= 3);
  if (copiedVersion === undefined) return version;
  const wrongBits = (copiedVersion ^ version) >>> 0;
  // One wrong bit means damage. But if the version is the next one, a later program that does not write the copies
  // most likely wrote it.
  const isOneBit = wrongBits !== 0 && (wrongBits & (wrongBits - 1)) === 0;
  return isOneBit && version !== copiedVersion + 1 ? copiedVersion : version;
}

function repeatVersion(version: number): number {
  return version < 0x80 ? version * 0x01_01_01_01 : 0;
}
