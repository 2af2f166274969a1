import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// The resources that a process uses, as reported by Linux.

export const canReadUse = process.platform === 'linux';

/** Reads the resident memory. */
export function readResidentMiB(pid: number | undefined): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Counts the open sockets. */
export function countOpenSockets(pid: number | undefined): number {
  const files = `/proc/${pid}/fd`;
  return readdirSync(files).filter((file) => readLinkTarget(`${files}/${file}`).startsWith('socket:')).length;
}

/** Returns an empty text for a file that was closed in the meantime. */
function readLinkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
