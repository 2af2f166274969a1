import { closeSync, openSync } from 'node:fs';

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
