import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';

/** Whether this process has a terminal, which is so no longer once its window was closed. */
export function hasTerminal(): boolean {
  if (process.platform === 'win32') return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Decides what the signal SIGHUP means: that the configuration is to be read again, or that the terminal was
 * closed in which the gateway ran.
 *
 * @param hadTerminal at the start
 */
export function meansReload(hadTerminal: boolean, isThere: () => boolean = hasTerminal): boolean {
  // Windows sends it when a console is closed, and ends the process soon after.
  return process.platform !== 'win32' && (!hadTerminal || isThere());
}

/** Asks the user in the terminal. Without one, and with any other answer than yes, the answer is no. */
export async function askTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
