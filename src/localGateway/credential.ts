import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A credential for one start of the gateway: 256 random bits. */
export function newCredential(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes the credential where only this user can read it: a 0600 file in a fresh 0700 folder. Returns the path. */
export function writeCredentialFile(credential: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-'));
  const file = join(folder, 'credential');
  writeFileSync(file, `${credential}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

/** Removes the file with its folder; does nothing when they have gone already. */
export function removeCredentialFile(file: string): void {
  rmSync(dirname(file), { recursive: true, force: true });
}
