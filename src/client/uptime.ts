import os from 'node:os';

/**
 * Milliseconds since the machine was started, the time it slept included. Nobody can set it, unlike the wall
 * clock, and it does not stand still in a sleep, as `performance.now()` does on Linux and macOS.
 */
export function uptimeMs(): number {
  return os.uptime() * 1000;
}
