import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { renameWithRetrySync } from '../../storage/renameWithRetry.ts';

/**
 * Writes a file that only the user can read. Whoever opens it meanwhile finds the earlier content or all of
 * the new one, whenever the process ends.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The mode of `open` is narrowed by the umask, which may take the owner's own rights.
    fchmodSync(file, 0o600);
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameWithRetrySync(draft, path);
}
