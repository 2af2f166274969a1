import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isObject } from '../../base/json.ts';
import type { DownloadHead, DownloadTarget } from '../../client/gatewayClient.ts';
import { ResultProblem } from './resultProblem.ts';

/** What there is of a file whose download was cut. */
export interface PartBefore {
  readonly bytes: number;
  readonly validator: string;
}

/** How many bytes are free in the file system a folder is in. */
export type FreeSpace = (folder: string) => Promise<number>;

/** Looks at a whole file; throws what is wrong with it. `total` is its size as announced. */
export type Check<Checked> = (file: FileHandle, size: number, total: number | undefined) => Promise<Checked>;

export interface PartOptions {
  readonly freeSpace: FreeSpace;
  /** Whether no other window has taken the fetching over. */
  readonly isOurs: () => boolean;
}

/** Disks are never filled to the last byte: that would harm more than a download. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** How much comes between two looks at the space: nobody announces all that comes, nor fills the disk alone. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;

/** What the system says when there is no room, whatever it said of free space. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Absent on systems that know no such flag; a link must not lead the bytes elsewhere. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * A file while it is downloaded: `<name>.part`. When a download is cut in an orderly way, a note beside it says
 * how much of it is on the disk and of which version of the file; only with that note it is gone on with.
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
  /** The size at which the space is looked at again. */
  #lookAt = 0;

  constructor(folder: string, path: string, { freeSpace, isOurs }: PartOptions) {
    this.#folder = folder;
    this.path = path;
    this.#note = `${path}.json`;
    this.#freeSpace = freeSpace;
    this.#isOurs = isOurs;
  }

  /** Bytes written so far, with those from before. */
  get size(): number {
    return this.#size;
  }

  /** What an earlier download left, if that can be gone on with. */
  async before(): Promise<PartBefore | undefined> {
    try {
      const note: unknown = JSON.parse(await readFile(this.#note, 'utf8'));
      const { size } = await stat(this.path);
      return isNote(note) && note.bytes <= size ? note : undefined;
    } catch {
      return undefined;
    }
  }

  async begin(head: DownloadHead): Promise<void> {
    // What is there stays there when the rest of it is refused.
    refuseOtherTypes(head.mimeType);
    await this.#checkSpace((head.total ?? 0) - head.from);
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.#note, { force: true });
    if (head.from === 0) await rm(this.path, { force: true });
    const flags = head.from === 0 ? constants.O_CREAT | constants.O_EXCL : NO_LINK;
    this.#file = await open(this.path, constants.O_RDWR | flags);
    await this.#file.truncate(head.from);
    this.#size = head.from;
    this.#lookAt = head.from + LOOK_EVERY_BYTES;
    this.#head = head;
  }

  /** Gives up, and gives the space back that others need, when there is no more for this file. */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#write(bytes);
    } catch (error) {
      if (NO_ROOM.has((error as NodeJS.ErrnoException).code)) await this.#shrink(SPARE_BYTES);
      throw error;
    }
    if (this.#size < this.#lookAt) return;
    this.#lookAt = this.#size + LOOK_EVERY_BYTES;
    const free = await this.#freeSpace(this.#folder);
    if (free >= SPARE_BYTES) return;
    const came = this.#size;
    await this.#shrink(SPARE_BYTES - free);
    throw noSpace(
      `There is no room for the rest of the result: after ${inMegabytes(came)}, only ${inMegabytes(free)} are free in ${this.#folder}`,
    );
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#open().write(bytes, done, bytes.length - done, this.#size);
      done += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** Cuts off the end; all of it where what remains could not be gone on with. */
  async #shrink(bytes: number): Promise<void> {
    const file = this.#open();
    this.#size = this.#head?.validator === undefined ? 0 : Math.max(0, this.#size - bytes);
    await file.truncate(this.#size);
  }

  /** Lets go of the file so that it can be gone on with later; where nothing allows that it is removed. */
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
   * The file has come to its end: leaves it on the disk, closed, when `check` has nothing against it. Otherwise,
   * or when another window has begun it anew in the meantime, it is given up.
   */
  async finish<Checked>(check: Check<Checked>): Promise<Checked> {
    const file = this.#open();
    this.#file = undefined;
    try {
      const checked = await check(file, this.#size, this.#head?.total);
      await file.sync();
      if (!(await this.#isStill(file)))
        throw new ResultProblem('replaced', 'Another window fetches the result.');
      return checked;
    } catch (error) {
      if (await this.#isStill(file)) await rm(this.path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Whether no other window has put a file of its own in this place, or is about to. */
  async #isStill(file: FileHandle): Promise<boolean> {
    if (!this.#isOurs()) return false;
    const [ours, there] = await Promise.all([file.stat(), stat(this.path).catch(() => undefined)]);
    return there?.ino === ours.ino;
  }

  #open(): FileHandle {
    if (!this.#file) throw new TypeError('the part is not open');
    return this.#file;
  }

  async #checkSpace(needed: number): Promise<void> {
    const free = await this.#freeSpace(this.#folder);
    if (free >= needed + SPARE_BYTES) return;
    throw noSpace(
      `The result needs ${inMegabytes(needed)}, and ${inMegabytes(free)} are free in ${this.#folder}`,
    );
  }
}

function noSpace(what: string): ResultProblem {
  return new ResultProblem('no-space', `${what}: free some space and fetch it again.`);
}

function isNote(note: unknown): note is PartBefore {
  return (
    isObject(note) &&
    Number.isSafeInteger(note.bytes) &&
    Number(note.bytes) > 0 &&
    typeof note.validator === 'string'
  );
}

/** What may be named a video, picture or sound, or nothing in particular: the bytes tell what it is. */
function refuseOtherTypes(mimeType: string | undefined): void {
  if (mimeType === undefined || MEDIA_TYPE.test(mimeType)) return;
  if (/html/.test(mimeType)) {
    throw new ResultProblem(
      'web-page',
      'A web page came instead of the result: sign in to the network, or ask the gateway whether the result is still there.',
    );
  }
  throw new ResultProblem(
    'not-media',
    `What came instead of the result is of type ${mimeType.slice(0, 60)}.`,
  );
}

const MEDIA_TYPE =
  /^((video|image|audio)\/|(application|binary)\/octet-stream$|application\/(mp4|ogg|x-matroska)$)/;

function inMegabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
