import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes the credential for one start of the gateway: 256 random bits. */
export function newCredential(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Writes the credential to a file with mode 0600 in a new folder with mode 0700.
 *
 * @returns the path of the file
 */
export function writeCredentialFile(credential: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-'));
  const file = join(folder, 'credential');
  writeFileSync(file, `${credential}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

/** Removes the file and its folder, if they still exist. */
export function removeCredentialFile(file: string): void {
  rmSync(dirname(file), { recursive: true, force: true });
}
