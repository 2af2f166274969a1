import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Finds a folder for files in memory, if the system supports that: flushing to the disk is slow. Mutation tests
 * set another one, because changed code may leave files.
 */
export function findMemoryFolder(): string {
  const { MODEL_GATEWAY_TEST_FOLDER: folder } = process.env;
  return folder ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

const nobodyUid = 65_534;

/** A folder for the database files of one test. */
export class DatabaseFolder {
  readonly path = mkdtempSync(join(findMemoryFolder(), 'database-'));

  file(name = 'things.db'): string {
    return join(this.path, name);
  }

  listNames(): readonly string[] {
    return readdirSync(this.path).sort();
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Runs `act` while the folder is read-only; drops the rights of a superuser for that time. */
  runUnwritable<Result>(act: () => Result): Result {
    const superuser = process.geteuid?.() === 0;
    chmodSync(this.path, 0o555);
    if (superuser) process.seteuid?.(nobodyUid);
    try {
      return act();
    } finally {
      if (superuser) process.seteuid?.(0);
      chmodSync(this.path, 0o755);
    }
  }
}
