import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../base/errors.ts';
import { withFileLock } from '../../storage/fileLock.ts';
import { ConfigError } from './configError.ts';
import { writePrivateFile } from './privateFile.ts';

/** At least 128 bits in base64url; no other characters, so that it is found as one word wherever it stands. */
const credentialForm = /^[\w-]{22,512}$/;

/** Makes a credential: 256 random bits. */
export function newCredential(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Reads the credential in a file, which is made where it is missing. Processes that do so at once get the same
 * one.
 *
 * @param notice told where others could read the file, which it then forbids
 * @throws {ConfigError} when the file holds something else
 */
export function keptCredential(path: string, notice: (line: string) => void): string {
  return withFileLock(path, () => {
    const found = readCredential(path);
    if (found === undefined) return writeNew(path);
    if (closeToOthers(path)) {
      notice(`Others on this machine could read ${path}, and now cannot. Change it by --new-credential.`);
    }
    return found;
  });
}

/** Replaces the credential in a file, whatever it holds. */
export function replaceCredential(path: string): string {
  return withFileLock(path, () => writeNew(path));
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
  throw new ConfigError(`The file ${path} holds no credential. Make a new one by --new-credential.`);
}

function writeNew(path: string): string {
  const credential = newCredential();
  writePrivateFile(path, `${credential}\n`);
  return credential;
}

/** Windows keeps files in the user's own folders from others by itself. */
function closeToOthers(path: string): boolean {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return false;
  chmodSync(path, 0o600);
  return true;
}
