import os from 'node:os';

/**
 * Milliseconds since the machine started, with the time it slept. Users cannot set it, unlike the wall clock,
 * and it does not stand still during a sleep, unlike `performance.now()` on Linux and macOS.
 */
export function uptimeMs(): number {
  return os.uptime() * 1000;
}
