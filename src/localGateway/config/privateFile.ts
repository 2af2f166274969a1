import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { renameWithRetrySync } from '../../storage/renameWithRetry.ts';

/**
 * Writes a file that only the user can read. Concurrent readers find either the earlier content or all of the new
 * one, even if the process is killed.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The umask narrows the mode of `open`, and may remove the owner's own rights.
    fchmodSync(file, 0o600);
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameWithRetrySync(draft, path);
}
