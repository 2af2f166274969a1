import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { renameWithRetrySync } from '../../storage/renameWithRetry.ts';

/**
 * Writes a file that only the user can read. Concurrent readers find either the earlier or the complete new
 * content, even if the process is killed.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The umask may have removed rights of the owner from the mode of `open`.
    fchmodSync(file, 0o600);
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameWithRetrySync(draft, path);
}
