import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { errorCode } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { DownloadHead, DownloadTarget } from '../../client/types.ts';
import { explain } from '../../wire/explanations/explanation.ts';
import { ResultProblem } from '../record/taskProblem.ts';

/** The position at which an interrupted download can be resumed. */
interface ResumePoint {
  readonly bytes: number;
  readonly validator: string;
}

/** Returns the free bytes in the file system of a folder. */
export type FreeSpace = (folder: string) => Promise<number>;

/** Checks a whole file and throws if it is invalid. `total` is its announced size. */
type FileCheck<Checked> = (file: FileHandle, size: number, total: number | undefined) => Promise<Checked>;

interface PartOptions {
  readonly freeSpace: FreeSpace;
  /** Whether this window still has the claim on the download. */
  readonly isOwner: () => boolean;
}

/** Downloads leave this much of a disk free for other programs. */
const reservedBytes = 64 * 1024 * 1024;

/** After this many bytes, the free space is checked again. */
const checkEveryBytes = 4 * 1024 * 1024;

/** The error codes of a full disk. */
const fullDiskCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Prevents a symbolic link from redirecting the bytes. Some systems do not have this flag. */
const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * A file that is being downloaded: `<name>.part`. After a controlled interruption, a note next to the file contains its
 * length and its validator. Without the note, the download is not resumed.
 */
export class ResultPart implements DownloadTarget {
  readonly path: string;
  readonly #note: string;
  readonly #folder: string;
  readonly #freeSpace: FreeSpace;
  readonly #isOwner: () => boolean;
  #file: FileHandle | undefined;
  #head: DownloadHead | undefined;
  #size = 0;
  /** The size at which to check the free space again. */
  #nextCheckAt = 0;

  constructor(folder: string, path: string, { freeSpace, isOwner }: PartOptions) {
    this.#folder = folder;
    this.path = path;
    this.#note = `${path}.json`;
    this.#freeSpace = freeSpace;
    this.#isOwner = isOwner;
  }

  /** Bytes so far, including earlier downloads. */
  get size(): number {
    return this.#size;
  }

  /** Reads the note of an earlier download; undefined if the download cannot be resumed. */
  async readResumePoint(): Promise<ResumePoint | undefined> {
    try {
      const note: unknown = JSON.parse(await readFile(this.#note, 'utf8'));
      const { size } = await stat(this.path);
      return isResumePoint(note) && note.bytes <= size ? note : undefined;
    } catch {
      return undefined;
    }
  }

  async begin(head: DownloadHead): Promise<void> {
    // Check first, so that a reply that is not a result does not delete the existing part.
    assertMediaType(head.mimeType);
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
   * Writes bytes. If there is no free space, it stops and truncates the file to leave space for other programs.
   *
   * @throws {ResultProblem} if there is no space
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
      const { bytesWritten } = await this.#requireFile().write(bytes, done, bytes.length - done, this.#size);
      done += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** Removes the last `bytes` of the file, or all of it if the download cannot be resumed. */
  async #shrink(bytes: number): Promise<void> {
    const file = this.#requireFile();
    this.#size = this.#head?.validator === undefined ? 0 : Math.max(0, this.#size - bytes);
    await file.truncate(this.#size);
  }

  /** Closes the file for a later download, or deletes it if the download cannot be resumed. */
  async suspend(): Promise<void> {
    const file = this.#file;
    const validator = this.#head?.validator;
    this.#file = undefined;
    if (!file) return;
    try {
      await file.sync();
      if (!(await this.#isCurrentFile(file))) return;
      if (validator === undefined || this.#size === 0) await rm(this.path, { force: true });
      else await writeFile(this.#note, JSON.stringify({ bytes: this.#size, validator }));
    } finally {
      await file.close();
    }
  }

  /**
   * Closes the complete file if `check` accepts it. Otherwise deletes it, except if another window has restarted
   * the download.
   *
   * @throws any error that `check` throws
   */
  async finish<Checked>(check: FileCheck<Checked>): Promise<Checked> {
    const file = this.#requireFile();
    this.#file = undefined;
    try {
      const checked = await check(file, this.#size, this.#head?.total);
      await file.sync();
      if (!(await this.#isCurrentFile(file))) throw new ResultProblem(explain('result-downloaded-elsewhere'));
      return checked;
    } catch (error) {
      if (await this.#isCurrentFile(file)) await rm(this.path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Whether this is still the file at the path, and this window still has the claim. */
  async #isCurrentFile(file: FileHandle): Promise<boolean> {
    if (!this.#isOwner()) return false;
    const [opened, current] = await Promise.all([file.stat(), stat(this.path).catch(() => undefined)]);
    return current?.ino === opened.ino;
  }

  #requireFile(): FileHandle {
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

function isResumePoint(note: unknown): note is ResumePoint {
  return (
    isObject(note) &&
    Number.isSafeInteger(note.bytes) &&
    Number(note.bytes) > 0 &&
    typeof note.validator === 'string'
  );
}

/** Throws for a type other than a video, picture, sound or generic type. The content is checked later. */
function assertMediaType(mimeType: string | undefined): void {
  if (mimeType === undefined || mediaTypePattern.test(mimeType)) return;
  if (/html/.test(mimeType)) {
    throw new ResultProblem(explain('result-web-page'));
  }
  throw new ResultProblem(explain('result-of-other-type', { mimeType: mimeType.slice(0, 60) }));
}

const mediaTypePattern =
  /^((video|image|audio)\/|(application|binary)\/octet-stream$|application\/(mp4|ogg|x-matroska)$)/;
