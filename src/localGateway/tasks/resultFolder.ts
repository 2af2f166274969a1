import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { renameWithRetry } from '../../storage/renameWithRetry.ts';
import { maxResults, type StoredResult } from './upstreamTask.ts';

/** The largest result that is stored, in bytes. */
export const maxResultBytes = 1024 * 1024 * 1024;

/** A result cannot be stored. The message is the reason, as the end of a sentence. */
export class ResultError extends Error {
  override readonly name = 'ResultError';
}

/** The age at which a file without a task or a partial file is removed, in milliseconds. */
const abandonedAfterMs = 60 * 60 * 1000;

/** The folder of results. Only this user can read it. Several gateways may share it. */
export class ResultFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Stores the bytes of a result. A file is either complete or absent.
   *
   * @throws {ResultError} if there are no bytes, or too many
   * @throws the errors of the byte source and of the system
   */
  async store(
    task: string,
    index: number,
    mimeType: string,
    bytes: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  ): Promise<StoredResult> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const file = `${task}-${index}`;
    // The same result may be stored twice at once.
    const part = join(this.#path, `${file}.${randomUUID()}.part`);
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
      await renameWithRetry(part, join(this.#path, file));
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(part, { force: true });
      throw error;
    }
    return { file, bytes: size, mimeType, digest: hash.digest('base64url') };
  }

  /** Reads the bytes of a stored result; undefined if it was removed. */
  read({ file }: StoredResult): Promise<Buffer | undefined> {
    return readFile(join(this.#path, file)).catch(() => undefined);
  }

  /** Whether a stored result still exists with its original length. */
  async has({ file, bytes }: StoredResult): Promise<boolean> {
    const found = await stat(join(this.#path, file)).catch(() => undefined);
    return found?.size === bytes;
  }

  /**
   * Streams a part of a stored result.
   *
   * @param first the offset of the first byte
   * @param last the offset of the last byte
   */
  stream({ file }: StoredResult, first: number, last: number): ReadStream {
    return createReadStream(join(this.#path, file), { start: first, end: last });
  }

  /** Removes the results of a task. `sweep` removes results that are still being written. */
  async remove(task: string): Promise<void> {
    for (let index = 0; index < maxResults; index += 1)
      await rm(join(this.#path, `${task}-${index}`), { force: true });
  }

  /**
   * Removes old files that belong to no task or are partial.
   *
   * @param findExisting returns the IDs of existing tasks among the given ones
   */
  async sweep(findExisting: (ids: readonly string[]) => ReadonlySet<string>): Promise<void> {
    const files = await this.#listFiles();
    const existingTasks = findExisting([...new Set(files.map(readTaskId))]);
    for (const file of files) {
      if (existingTasks.has(readTaskId(file)) && !file.endsWith('.part')) continue;
      const path = join(this.#path, file);
      const found = await stat(path).catch(() => undefined);
      if (found && Date.now() - found.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
    }
  }

  /** Lists only files that a gateway may have created: users may add other files. */
  async #listFiles(): Promise<readonly string[]> {
    const names = await readdir(this.#path).catch(() => []);
    return names.filter((file) => /^task_[\w-]+-\d+(\.[\da-f-]+\.part)?$/.test(file));
  }
}

function readTaskId(file: string): string {
  return file.replace(/-\d+(\.[\da-f-]+\.part)?$/, '');
}
