import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { errorCode } from '../../base/errors.ts';
import { findTrueVersion } from '../sqlite/migrate.ts';
import { defaultPageSize, isPageSize, readWal } from './readWal.ts';

/** The pages of a damaged database, from its file and its log. Their content is untrusted. */
export interface Pages {
  /** The numbers of the pages that are not on the free list: first the pages in the log, newest first. */
  readonly numbers: readonly number[];
  /** The number of bytes of each page that contain data. */
  readonly usableSize: number;
  /** The schema version of the file; undefined if the first page cannot be read. */
  readonly version: number | undefined;
  /** Whether the newest transactions may be missing. */
  readonly isWalDamaged: boolean;
  readPage(pageNumber: number): Buffer | undefined;
  /** Closes the file. */
  close(): void;
}

const magic = 'SQLite format 3\0';
const firstPageHeaderBytes = 100;

/**
 * Opens a database to read it page by page without SQLite, because it may be larger than the memory. Connections of
 * this process must not use the file any more: closing the file ends the locks that SQLite holds on it
 * (https://sqlite.org/howtocorrupt.html).
 */
export function openPages(path: string): Pages {
  const file = new FileBytes(path);
  file.assertOpened();
  const logBytes = readLog(path);
  const log = readWal(logBytes ?? Buffer.alloc(0));
  const logPages = log?.pages ?? new Map<number, Buffer>();
  const first = [logPages.get(1), file.read(0, firstPageHeaderBytes)].find(isFirstPage);
  const size = readPageSize(first) ?? log?.pageSize ?? defaultPageSize;
  const readPage = (pageNumber: number): Buffer | undefined => {
    const inLog = logPages.get(pageNumber);
    if (inLog) return inLog;
    const bytes = pageNumber > 0 ? file.read((pageNumber - 1) * size, size) : undefined;
    return bytes?.length === size ? bytes : undefined;
  };
  const freePages = first ? findFreePages(first, readPage) : new Set<number>();
  const filePages = Array.from({ length: Math.floor(file.length / size) }, (_, index) => index + 1);
  const numbers = [...logPages.keys(), ...filePages.filter((number) => !logPages.has(number))];
  return {
    numbers: numbers.filter((number) => !freePages.has(number)),
    // SQLite can reserve bytes at the end of each page, but our files do not.
    usableSize: size,
    version: first && findTrueVersion(first.readUInt32BE(60), first.readUInt32BE(68)),
    isWalDamaged: logBytes === undefined || (log?.isDamaged ?? false),
    readPage,
    close: () => file.close(),
  };
}

/**
 * Whether SQLite can read and write a file with this header. Use it only for a file that cannot be opened: as with
 * `openPages`, reading it ends locks.
 */
export function isHeaderSound(path: string): boolean {
  const file = new FileBytes(path);
  const header = file.read(0, firstPageHeaderBytes);
  file.close();
  const [writeFormat = 0, readFormat = 0] = header.subarray(18, 20);
  const isKnown = (format: number) => format === 1 || format === 2;
  return isFirstPage(header) && isKnown(writeFormat) && isKnown(readFormat) && header.readUInt32BE(44) <= 4;
}

/** A file that is read in parts. A missing file counts as empty. */
class FileBytes {
  #descriptor: number | undefined;
  readonly length: number = 0;
  #openError: unknown;

  constructor(path: string) {
    try {
      this.#descriptor = openSync(path, 'r');
      this.length = fstatSync(this.#descriptor).size;
    } catch (error) {
      this.close();
      this.#openError = error;
    }
  }

  /**
   * Checks that an existing file could be opened. Otherwise it would count as empty, although it may be readable later.
   *
   * @throws the error of opening an existing file
   */
  assertOpened(): void {
    if (this.#openError !== undefined && errorCode(this.#openError) !== 'ENOENT') throw this.#openError;
  }

  /** @returns fewer bytes at the end of the file, or if the disk cannot be read */
  read(at: number, length: number): Buffer {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return Buffer.alloc(0);
    const bytes = Buffer.alloc(length);
    const count = tryTwice(() => readSync(descriptor, bytes, 0, length, at)) ?? 0;
    return bytes.subarray(0, count);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Calls `read`, and again if it throws, because a disk error may be temporary. Undefined if it throws twice. */
function tryTwice<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    // The second attempt decides.
  }
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Reads the log. Empty if there is no log, undefined if the log cannot be read. */
function readLog(path: string): Buffer | undefined {
  return tryTwice(() => {
    try {
      return readFileSync(`${path}-wal`);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  });
}

function isFirstPage(bytes: Buffer | undefined): bytes is Buffer {
  return bytes !== undefined && bytes.length >= firstPageHeaderBytes && readPageSize(bytes) !== undefined;
}

/** @returns undefined if this is not the first page of a database */
function readPageSize(first: Buffer | undefined): number | undefined {
  if (!first || first.toString('latin1', 0, 16) !== magic) return undefined;
  const storedSize = first.readUInt16BE(16);
  const size = storedSize === 1 ? 65_536 : storedSize;
  return isPageSize(size) ? size : undefined;
}

/** Finds the pages on the free list, which contain deleted rows. */
function findFreePages(first: Buffer, readPage: (number: number) => Buffer | undefined): ReadonlySet<number> {
  const free = new Set<number>();
  for (let trunk = first.readUInt32BE(32); trunk > 0 && !free.has(trunk); ) {
    const bytes = readPage(trunk);
    if (!bytes) break;
    free.add(trunk);
    const count = Math.min(bytes.readUInt32BE(4), Math.floor(bytes.length / 4) - 2);
    const leaves = Array.from({ length: count }, (_, index) => bytes.readUInt32BE(8 + 4 * index));
    // A damaged trunk page contains arbitrary numbers, possibly of pages with rows.
    if (leaves.some((leaf) => leaf < 2 || !readPage(leaf)) || count !== bytes.readUInt32BE(4)) {
      free.delete(trunk);
      break;
    }
    for (const leaf of leaves) free.add(leaf);
    trunk = bytes.readUInt32BE(0);
  }
  return free;
}
