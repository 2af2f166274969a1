import { type ChildProcess, spawn } from 'node:child_process';
import { KeyError } from './keySource.ts';
import { readToken, type Token } from './token.ts';

const timeoutMs = 30_000;
const maxOutputBytes = 64 * 1024;

/**
 * Runs a command of the user's by the system's shell and reads the key that it prints. What it says on
 * standard error is not told, because it may hold a key.
 *
 * @throws {KeyError}
 */
export async function keyOfCommand(command: string, signal: AbortSignal): Promise<Token> {
  const text = await outputOf(command, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  return readToken(text, 'what its keyCommand prints', Date.now());
}

function outputOf(command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the shell starts ends with it.
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, {
      shell: true,
      detached: isGroup,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const fail = (reason: string) => {
      signal.removeEventListener('abort', stop);
      endGroup(child, isGroup);
      reject(new KeyError(`its keyCommand ${reason}. Run it in a terminal to see why`));
    };
    const stop = () => fail(`printed no key within ${timeoutMs / 1000} seconds`);
    signal.addEventListener('abort', stop);
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) fail('printed far more than a key');
      else pieces.push(piece);
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) => fail(`cannot be run (${code})`));
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(Buffer.concat(pieces).toString());
      else fail(killedBy ? `was ended by ${killedBy}` : `ended with exit code ${code}`);
    });
    if (signal.aborted) stop();
  });
}

function endGroup({ pid, exitCode, signalCode, stdout }: ChildProcess, isGroup: boolean): void {
  stdout?.destroy();
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
