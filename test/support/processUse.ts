import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// The resources that a process uses, as reported by Linux.

export const canReadUse = process.platform === 'linux';

/** Its resident memory, in MiB. */
export function residentMiB(pid: number | undefined): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** The number of its open sockets. */
export function openSockets(pid: number | undefined): number {
  const files = `/proc/${pid}/fd`;
  return readdirSync(files).filter((file) => targetOf(`${files}/${file}`).startsWith('socket:')).length;
}

/** Empty for a file that has been closed. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
