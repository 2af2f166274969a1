import os from 'node:os';

/** The content of a write-ahead log (https://sqlite.org/fileformat2.html#walformat), read frame by frame. */
interface WalContents {
  readonly pageSize: number;
  /** The pages as the complete transactions wrote them, newest first. Frames with a wrong checksum are skipped. */
  readonly pages: ReadonlyMap<number, Buffer>;
  /**
   * Whether the log is unreadable, or a complete transaction follows a damaged frame. SQLite silently drops the
   * damaged frame and all later ones.
   */
  readonly isDamaged: boolean;
  /** The end of the last complete transaction, in bytes. */
  readonly end: number;
}

interface Frame {
  readonly page: number;
  readonly bytes: Buffer;
  readonly isCommit: boolean;
  readonly isIntact: boolean;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;

export const defaultPageSize = 4096;

/** Whether SQLite allows this page size, in bytes. */
export function isPageSize(size: number): boolean {
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0;
}

/**
 * Reads a write-ahead log. A log without a header is damaged, because SQLite writes and flushes the header first.
 *
 * @returns undefined if there is no log
 */
export function readWal(log: Buffer): WalContents | undefined {
  if (log.length < headerBytes) return undefined;
  const isBigEndian = log.readUInt32BE(0) === magic + 1;
  const headerChecksum = computeChecksum(log.subarray(0, 24), 0, 0, isBigEndian);
  const storedPageSize = log.readUInt32BE(8);
  const isHeaderIntact =
    isPageSize(storedPageSize) &&
    headerChecksum.every((sum, index) => sum === log.readUInt32BE(24 + 4 * index));
  const pageSize = isHeaderIntact ? storedPageSize : defaultPageSize;
  const salts = isHeaderIntact ? log.subarray(16, 24) : findSalts(log, pageSize);
  if (!salts) return { pageSize, pages: new Map(), isDamaged: true, end: log.length };
  const frames = readFrames(log, pageSize, salts, isHeaderIntact, isBigEndian);
  const last = findLastCommit(frames);
  const committed = frames.slice(0, last + 1);
  const pages = new Map<number, Buffer>();
  for (const frame of committed.toReversed()) {
    if (frame?.isIntact && !pages.has(frame.page)) pages.set(frame.page, frame.bytes);
  }
  const isDamaged = !isHeaderIntact || committed.some((frame) => !frame?.isIntact);
  const end = headerBytes + committed.length * (frameHeaderBytes + pageSize);
  return { pageSize, pages, isDamaged, end };
}

/**
 * Finds the end of the last complete transaction; -1 if there is none. Transactions at the end of the log with a
 * missing frame or a wrong checksum do not count as damage: a power failure interrupted them, or a process died
 * before it published them and others have overwritten their first frames.
 */
function findLastCommit(frames: readonly (Frame | undefined)[]): number {
  const commits = frames.flatMap((frame, at) => (frame?.isCommit ? [at] : []));
  const last = commits.findLastIndex((at, nth) => {
    const transaction = frames.slice((commits[nth - 1] ?? -1) + 1, at + 1);
    return transaction.every((frame) => frame?.isIntact);
  });
  return commits[last] ?? -1;
}

/** Splits a log into frames. A frame of an older log, or with a damaged header, is undefined. */
function readFrames(
  log: Buffer,
  pageSize: number,
  salts: Buffer,
  isHeaderIntact: boolean,
  isBigEndian: boolean,
): readonly (Frame | undefined)[] {
  const frames: (Frame | undefined)[] = [];
  let seed = isHeaderIntact ? log.subarray(24, 32) : undefined;
  for (
    let at = headerBytes;
    at + frameHeaderBytes + pageSize <= log.length;
    at += frameHeaderBytes + pageSize
  ) {
    const head = log.subarray(at, at + frameHeaderBytes);
    const bytes = log.subarray(at + frameHeaderBytes, at + frameHeaderBytes + pageSize);
    const page = head.readUInt32BE(0);
    const belongsToLog = head.subarray(8, 16).equals(salts) && page > 0;
    const frame = { page, bytes, isCommit: head.readUInt32BE(4) > 0 };
    frames.push(belongsToLog ? { ...frame, isIntact: isIntact(head, bytes, seed, isBigEndian) } : undefined);
    seed = belongsToLog ? head.subarray(16, 24) : undefined;
  }
  return frames;
}

/**
 * Whether a frame's checksum is right. Each checksum continues the previous one, so a frame after a damaged header
 * cannot be checked.
 */
function isIntact(head: Buffer, bytes: Buffer, seed: Buffer | undefined, isBigEndian: boolean): boolean {
  if (!seed) return true;
  const [one, two] = computeChecksum(
    head.subarray(0, 8),
    seed.readUInt32BE(0),
    seed.readUInt32BE(4),
    isBigEndian,
  );
  const sums = computeChecksum(bytes, one, two, isBigEndian);
  return sums[0] === head.readUInt32BE(16) && sums[1] === head.readUInt32BE(20);
}

/**
 * Finds the salts if the header of the log is damaged. The salts are random, so equal bytes in two consecutive frames
 * are the salts.
 */
function findSalts(log: Buffer, pageSize: number): Buffer | undefined {
  const step = frameHeaderBytes + pageSize;
  for (let at = headerBytes; at + step <= log.length; at += step) {
    const salts = log.subarray(at + 8, at + 16);
    const next = log.subarray(at + step + 8, at + step + 16);
    if (salts.some((byte) => byte !== 0) && (next.length === 0 || next.equals(salts))) return salts;
  }
  return undefined;
}

function computeChecksum(
  bytes: Buffer,
  one: number,
  two: number,
  isBigEndian: boolean,
): readonly [number, number] {
  const words = readWords(bytes, isBigEndian);
  let first = one;
  let second = two;
  for (let at = 0; at + 1 < words.length; at += 2) {
    first = (first + (words[at] as number) + second) >>> 0;
    second = (second + (words[at + 1] as number) + first) >>> 0;
  }
  return [first, second];
}

/**
 * Reads bytes as words. In the usual byte order it returns a view, which is several times faster than reading word
 * by word.
 */
function readWords(bytes: Buffer, isBigEndian: boolean): Uint32Array {
  const count = bytes.length >>> 2;
  if (!isBigEndian && os.endianness() === 'LE' && bytes.byteOffset % 4 === 0) {
    return new Uint32Array(bytes.buffer, bytes.byteOffset, count);
  }
  return Uint32Array.from({ length: count }, (_, nth) =>
    isBigEndian ? bytes.readUInt32BE(4 * nth) : bytes.readUInt32LE(4 * nth),
  );
}
