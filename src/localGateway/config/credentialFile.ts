import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../base/errors.ts';
import { withFileLock } from '../../storage/fileLock.ts';
import { ConfigError } from './configSchema.ts';
import { writePrivateFile } from './stateFolder.ts';

/**
 * The form of a credential: at least 128 bits in base64url. It has no other characters, so that it can be found as
 * one word in any text.
 */
const credentialForm = /^[\w-]{22,512}$/;

/** Generates a credential of 256 random bits. */
export function generateCredential(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Reads the credential in a file, and creates the file if it is missing. Concurrent processes get the same
 * credential.
 *
 * @param warn called if other users could read the file; the file's mode is then corrected
 * @throws {ConfigError} if the file does not contain a credential
 */
export function readOrCreateCredential(path: string, warn: (line: string) => void): string {
  return withFileLock(path, () => {
    const found = readCredential(path);
    if (found === undefined) return writeNewCredential(path);
    if (restrictToOwner(path)) {
      warn(
        `Other users of this machine could read ${path}. This is now fixed. Replace the credential with --new-credential.`,
      );
    }
    return found;
  });
}

/** Replaces the credential in a file, even if its content is invalid. */
export function replaceCredential(path: string): string {
  return withFileLock(path, () => writeNewCredential(path));
}

function readCredential(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new ConfigError(`The credential in ${path} cannot be read (${errorCode(error)}).`);
  }
  if (credentialForm.test(text)) return text;
  throw new ConfigError(`The file ${path} contains no credential. Create a new one with --new-credential.`);
}

function writeNewCredential(path: string): string {
  const credential = generateCredential();
  writePrivateFile(path, `${credential}\n`);
  return credential;
}

/**
 * Corrects the mode of a file that other users can read. Windows already protects the user's own folders.
 *
 * @returns whether the mode was wrong
 */
function restrictToOwner(path: string): boolean {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, 0o600);
  return true;
}
