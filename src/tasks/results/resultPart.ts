import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { errorCode } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { DownloadHead, DownloadTarget } from '../../client/types.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { ResultProblem } from './resultProblem.ts';

/** What an interrupted download left. */
export interface ResumePoint {
  readonly bytes: number;
  readonly validator: string;
}

/** The free bytes in the file system of a folder. */
export type FreeSpace = (folder: string) => Promise<number>;

/** Checks a whole file. `total` is its announced size. It throws what is wrong. */
export type Check<Checked> = (file: FileHandle, size: number, total: number | undefined) => Promise<Checked>;

export interface PartOptions {
  readonly freeSpace: FreeSpace;
  /** Whether no other window has taken the download over. */
  readonly isOurs: () => boolean;
}

/** This much of a disk stays free for other programs. */
const reservedBytes = 64 * 1024 * 1024;

/** How many bytes come between two checks of the free space. */
const checkEveryBytes = 4 * 1024 * 1024;

/** The system's codes for a full disk. */
const fullDiskCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Absent on systems without such a flag. A symbolic link must not redirect the bytes. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * A file that is being downloaded: `<name>.part`. After an orderly interruption a note beside it holds its
 * length and its version. Without the note it is not resumed.
 */
export class ResultPart implements DownloadTarget {
  readonly path: string;
  readonly #note: string;
  readonly #folder: string;
  readonly #freeSpace: FreeSpace;
  readonly #isOurs: () => boolean;
  #file: FileHandle | undefined;
  #head: DownloadHead | undefined;
  #size = 0;
  /** The size at which to check the free space again. */
  #nextCheckAt = 0;

  constructor(folder: string, path: string, { freeSpace, isOurs }: PartOptions) {
    this.#folder = folder;
    this.path = path;
    this.#note = `${path}.json`;
    this.#freeSpace = freeSpace;
    this.#isOurs = isOurs;
  }

  /** Bytes so far, with those of earlier downloads. */
  get size(): number {
    return this.#size;
  }

  /** What an earlier download left, if it can be resumed. */
  async resumePoint(): Promise<ResumePoint | undefined> {
    try {
      const note: unknown = JSON.parse(await readFile(this.#note, 'utf8'));
      const { size } = await stat(this.path);
      return isNote(note) && note.bytes <= size ? note : undefined;
    } catch {
      return undefined;
    }
  }

  async begin(head: DownloadHead): Promise<void> {
    // What is there stays when the rest is refused.
    refuseOtherTypes(head.mimeType);
    await this.#checkSpace((head.total ?? 0) - head.from);
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.#note, { force: true });
    if (head.from === 0) await rm(this.path, { force: true });
    const flags = head.from === 0 ? constants.O_CREAT | constants.O_EXCL : noFollow;
    this.#file = await open(this.path, constants.O_RDWR | flags);
    await this.#file.truncate(head.from);
    this.#size = head.from;
    this.#nextCheckAt = head.from + checkEveryBytes;
    this.#head = head;
  }

  /**
   * Writes bytes. Without free space it stops and truncates the file, for other programs.
   *
   * @throws {ResultProblem} when there is no space
   */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#write(bytes);
    } catch (error) {
      if (fullDiskCodes.has(errorCode(error))) await this.#shrink(reservedBytes);
      throw error;
    }
    if (this.#size < this.#nextCheckAt) return;
    this.#nextCheckAt = this.#size + checkEveryBytes;
    const freeBytes = await this.#freeSpace(this.#folder);
    if (freeBytes >= reservedBytes) return;
    const receivedBytes = this.#size;
    await this.#shrink(reservedBytes - freeBytes);
    throw new ResultProblem(
      explain('result-rest-without-space', { receivedBytes, freeBytes, folder: this.#folder }),
    );
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#open().write(bytes, done, bytes.length - done, this.#size);
      done += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** Cuts the last `bytes` off the file, or all of it when the rest could not be resumed. */
  async #shrink(bytes: number): Promise<void> {
    const file = this.#open();
    this.#size = this.#head?.validator === undefined ? 0 : Math.max(0, this.#size - bytes);
    await file.truncate(this.#size);
  }

  /** Closes the file for a later download, or deletes it when that could not resume it. */
  async suspend(): Promise<void> {
    const file = this.#file;
    const validator = this.#head?.validator;
    this.#file = undefined;
    if (!file) return;
    try {
      await file.sync();
      if (!(await this.#isStill(file))) return;
      if (validator === undefined || this.#size === 0) await rm(this.path, { force: true });
      else await writeFile(this.#note, JSON.stringify({ bytes: this.#size, validator }));
    } finally {
      await file.close();
    }
  }

  /**
   * Closes the complete file when `check` accepts it. Otherwise, or when another window has begun it again,
   * deletes it.
   *
   * @throws what `check` throws
   */
  async finish<Checked>(check: Check<Checked>): Promise<Checked> {
    const file = this.#open();
    this.#file = undefined;
    try {
      const checked = await check(file, this.#size, this.#head?.total);
      await file.sync();
      if (!(await this.#isStill(file))) throw new ResultProblem(explain('result-fetched-elsewhere'));
      return checked;
    } catch (error) {
      if (await this.#isStill(file)) await rm(this.path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Whether this is still the file at the path, and no other window is about to replace it. */
  async #isStill(file: FileHandle): Promise<boolean> {
    if (!this.#isOurs()) return false;
    const [ours, there] = await Promise.all([file.stat(), stat(this.path).catch(() => undefined)]);
    return there?.ino === ours.ino;
  }

  #open(): FileHandle {
    if (!this.#file) throw new TypeError('the part is not open');
    return this.#file;
  }

  async #checkSpace(neededBytes: number): Promise<void> {
    const freeBytes = await this.#freeSpace(this.#folder);
    if (freeBytes >= neededBytes + reservedBytes) return;
    throw new ResultProblem(
      explain('result-without-space', { neededBytes, freeBytes, folder: this.#folder }),
    );
  }
}

function isNote(note: unknown): note is ResumePoint {
  return (
    isObject(note) &&
    Number.isSafeInteger(note.bytes) &&
    Number(note.bytes) > 0 &&
    typeof note.validator === 'string'
  );
}

/** Accepts types of videos, pictures, sounds, and unspecific ones; the bytes decide. */
function refuseOtherTypes(mimeType: string | undefined): void {
  if (mimeType === undefined || mediaTypePattern.test(mimeType)) return;
  if (/html/.test(mimeType)) {
    throw new ResultProblem(explain('result-web-page'));
  }
  throw new ResultProblem(explain('result-of-other-type', { mimeType: mimeType.slice(0, 60) }));
}

const mediaTypePattern =
  /^((video|image|audio)\/|(application|binary)\/octet-stream$|application\/(mp4|ogg|x-matroska)$)/;
