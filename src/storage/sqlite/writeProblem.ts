import { accessSync, closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { errorCode } from '../../base/errors.ts';

/** Why a database can only be read. */
export type WriteProblem = 'full' | 'over-quota' | 'read-only-disk' | 'unwritable' | 'disk-error';

/** A little more than SQLite needs before it can write, in bytes. */
const probeBytes = Buffer.alloc(128 * 1024);

const problemsByCode: Readonly<Record<string, WriteProblem>> = {
  ENOSPC: 'full',
  EDQUOT: 'over-quota',
  EROFS: 'read-only-disk',
  EIO: 'disk-error',
};

/**
 * Finds out by writing a file beside the database, since SQLite does not tell the cause.
 *
 * @returns undefined when nothing prevents writing now
 */
export function findWriteProblem(path: string): WriteProblem | undefined {
  const probe = `${path}.probe-${process.pid}`;
  try {
    const descriptor = openSync(probe, 'wx', 0o600);
    try {
      writeSync(descriptor, probeBytes);
    } finally {
      closeSync(descriptor);
      rmSync(probe, { force: true });
    }
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return problemsByCode[errorCode(error) ?? ''] ?? 'unwritable';
  }
}
