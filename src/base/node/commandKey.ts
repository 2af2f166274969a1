import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { readExpiringKey } from './expiringKey.ts';
import { commandTimeoutMs, KeyError, type KeySource } from './keySource.ts';
import { createRenewedKey } from './renewedKey.ts';

const maxOutputBytes = 64 * 1024;
/** The time after the command's exit in which a program that it started, such as an agent, may hold its output open. */
const openOutputMs = 1_000;
/** The lifetime of a key without a reported end, in milliseconds. */
const defaultLifetimeMs = 5 * 60_000;

/**
 * A key that a command of the user prints. The command runs in the system's shell when a key is needed, once for
 * all callers. Its standard error is not reported, because it may contain a key.
 *
 * @param subject names the command in messages, such as "its keyCommand"
 */
export function createCommandKey(command: string, subject: string): KeySource {
  return createRenewedKey({
    location: `that ${subject} prints`,
    async load(signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(commandTimeoutMs)]);
      return readExpiringKey(
        await runCommand(command, subject, limit),
        `the output of ${subject}`,
        Date.now(),
      );
    },
    defaultLifetimeMs,
  });
}

function runCommand(command: string, subject: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // The command has its own process group, so that the programs that its shell starts are also killed.
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, {
      shell: true,
      detached: isGroup,
      // Windows searches the current folder first, which may be a cloned repository.
      cwd: homedir(),
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    const fail = (reason: string, kind: KeyError['kind'] = 'failed', code?: string) => {
      signal.removeEventListener('abort', stop);
      killGroup(child, isGroup);
      reject(new KeyError(`${subject} ${reason}. Run it in a terminal to see why`, kind, code));
    };
    const stop = () => fail(`printed no key within ${commandTimeoutMs / 1000} seconds`, 'timeout');
    signal.addEventListener('abort', stop);
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) fail('printed far more than a key', 'unreadable');
      else pieces.push(piece);
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) => fail(`cannot be run (${code})`, 'failed', code));
    let timer: NodeJS.Timeout | undefined;
    child.once('exit', () => {
      timer = setTimeout(() => child.stdout.destroy(), openOutputMs);
    });
    child.once('close', (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (code === 0) resolve(Buffer.concat(pieces).toString());
      else if (killedBy) fail(`was killed by ${killedBy}`, 'failed', killedBy);
      else fail(`ended with exit code ${code}`, 'failed', String(code));
    });
    if (signal.aborted) stop();
  });
}

function killGroup({ pid, exitCode, signalCode, stdout }: ChildProcess, isGroup: boolean): void {
  stdout?.destroy();
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
