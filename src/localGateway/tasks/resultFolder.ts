import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeptResult, maxResults } from './remoteTask.ts';

/** The largest result that is kept, in bytes. */
export const maxResultBytes = 1024 * 1024 * 1024;

/** A result that is not kept, with the reason for people. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/** How old a file has to be before it counts as left behind, in milliseconds. */
const leftBehindMs = 60 * 60 * 1000;

/** The folder of results, which only this user can read. Several gateways may share it. */
export class ResultFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Keeps the bytes of a result. A file is whole or not there.
   *
   * @throws {ResultError} when there are none, or too many
   * @throws what the bytes throw, and the system's errors
   */
  async keep(
    task: string,
    index: number,
    mimeType: string,
    bytes: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  ): Promise<KeptResult> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const file = `${task}-${index}`;
    const part = join(this.#path, `${file}.${process.pid}.part`);
    const hash = createHash('sha256');
    let size = 0;
    const handle = await open(part, 'w', 0o600);
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > maxResultBytes) throw new ResultError('it is larger than 1 GiB');
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
      if (size === 0) throw new ResultError('it is empty');
      await handle.sync();
      await handle.close();
      await rename(part, join(this.#path, file));
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(part, { force: true });
      throw error;
    }
    return { file, bytes: size, mimeType, digest: hash.digest('base64url') };
  }

  /** The bytes of a kept result; undefined when it was taken away. */
  read({ file }: KeptResult): Promise<Buffer | undefined> {
    return readFile(join(this.#path, file)).catch(() => undefined);
  }

  /** Whether a kept result is still there, as long as it was. */
  async has({ file, bytes }: KeptResult): Promise<boolean> {
    const found = await stat(join(this.#path, file)).catch(() => undefined);
    return found?.size === bytes;
  }

  /** @param last the place of the last byte */
  stream({ file }: KeptResult, first: number, last: number): ReadStream {
    return createReadStream(join(this.#path, file), { start: first, end: last });
  }

  /** Removes the results of a task; what is still being written is swept later. */
  async remove(task: string): Promise<void> {
    for (let index = 0; index < maxResults; index += 1)
      await rm(join(this.#path, `${task}-${index}`), { force: true });
  }

  /**
   * Removes what is of no task any more.
   *
   * @param existing tells which tasks there are
   */
  async sweep(existing: (ids: readonly string[]) => ReadonlySet<string>): Promise<void> {
    const files = await this.#files();
    const known = existing([...new Set(files.map(taskOf))]);
    for (const file of files) {
      if (known.has(taskOf(file)) && !file.endsWith('.part')) continue;
      const path = join(this.#path, file);
      const found = await stat(path).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > leftBehindMs) await rm(path, { force: true });
    }
  }

  /** Only files of this folder's own names: people may put others beside them. */
  async #files(): Promise<readonly string[]> {
    const all = await readdir(this.#path).catch(() => []);
    return all.filter((file) => /^task_[\w-]+-\d+(\.\d+\.part)?$/.test(file));
  }
}

function taskOf(file: string): string {
  return file.replace(/-\d+(\.\d+\.part)?$/, '');
}
