import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WriteContext } from '../../storage/database.ts';
import { renameWithRetrySync } from '../../storage/renameWithRetry.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { listSetAside } from '../../storage/setAside.ts';
import { toStorageError } from '../../storage/sqlite/storageError.ts';

/** A SHA-256 in hexadecimal digits; also the file name. */
const hashPattern = /^[0-9a-f]{64}$/;
const partSuffix = '.part';
/** The folder of unused files that are not deleted, because lost messages of a damaged database may use them. */
const setAsideFolder = 'set-aside';

/**
 * The bytes of attachments, stored once each, in files named after their SHA-256. They are not in the database,
 * because they would slow down every check and copy of it.
 */
export class Attachments {
  readonly #context: WriteContext;
  readonly #folder: string;

  constructor(context: WriteContext, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  /**
   * Stores bytes durably. Unused bytes are deleted after 30 days.
   *
   * @returns their hash
   * @throws {StorageError}
   */
  async add(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (
      this.#hasFile(hash, bytes.length) &&
      (await retryWhileBusy(() => this.#insertRow(hash, bytes.length)))
    ) {
      await this.#context.database.flush();
      return hash;
    }
    const partFile = await this.#writePartFile(hash, bytes);
    try {
      await retryWhileBusy(() => this.#insertRow(hash, bytes.length, partFile));
    } finally {
      rmSync(partFile, { force: true });
    }
    await this.#context.database.flush();
    return hash;
  }

  /** Reads the bytes of an attachment; undefined if they are missing. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    if (!this.has(hash)) return undefined;
    return readFile(this.path(hash)).catch(() => undefined);
  }

  /** Like `read`, but synchronous. */
  readSync(hash: string): Uint8Array | undefined {
    if (!this.has(hash)) return undefined;
    try {
      return readFileSync(this.path(hash));
    } catch {
      return undefined;
    }
  }

  /** Whether the bytes exist. */
  has(hash: string): boolean {
    if (!hashPattern.test(hash)) return false;
    return existsSync(this.path(hash)) || this.#restoreSetAside(hash);
  }

  /** Returns the path of an attachment's bytes, even if they do not exist. */
  path(hash: string): string {
    return join(this.#folder, hash);
  }

  /**
   * Deletes bytes that were stored before a time, and that no message or draft uses. Runs within a transaction,
   * so that another window cannot start to use them at the same time.
   *
   * @param before in milliseconds since 1970
   */
  purge(before: number): void {
    const { database } = this.#context;
    const unused = database.all<{ hash: string }>(
      `DELETE FROM attachments WHERE storedAt < ? AND hash NOT IN (SELECT hash FROM attachmentUses)
         AND hash NOT IN (SELECT value FROM drafts, json_each(drafts.attachments)) RETURNING hash`,
      before,
    );
    // If a damaged database lost messages, it is unknown which files these messages use.
    const isSafeToDelete = listSetAside(database.path).every(({ isSaved }) => isSaved);
    const remove = (hash: string) => {
      if (isSafeToDelete) rmSync(this.path(hash), { force: true });
      else this.#setAside(hash);
    };
    for (const { hash } of unused) remove(hash);
    for (const name of this.#listStrayFiles(before)) {
      if (hashPattern.test(name)) remove(name);
      else rmSync(this.path(name), { force: true });
    }
    if (isSafeToDelete) rmSync(this.path(setAsideFolder), { recursive: true, force: true });
  }

  #setAside(hash: string): void {
    mkdirSync(this.path(setAsideFolder), { recursive: true, mode: 0o700 });
    if (existsSync(this.path(hash)))
      renameWithRetrySync(this.path(hash), join(this.path(setAsideFolder), hash));
  }

  /** Lists old files without a row, which remained after a window ended during a write, or after damage. */
  #listStrayFiles(before: number): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    const referencedHashes = new Set(
      this.#context.database
        .values(`SELECT hash FROM attachments UNION SELECT hash FROM attachmentUses
          UNION SELECT value FROM drafts, json_each(drafts.attachments)`)
        .map(([hash]) => String(hash)),
    );
    return readdirSync(this.#folder).filter((name) => {
      if (referencedHashes.has(name) || !(hashPattern.test(name) || name.endsWith(partSuffix))) return false;
      return (statSync(this.path(name), { throwIfNoEntry: false })?.mtimeMs ?? before) < before;
    });
  }

  /** @returns whether the file had been set aside */
  #restoreSetAside(hash: string): boolean {
    try {
      renameWithRetrySync(join(this.path(setAsideFolder), hash), this.path(hash));
      return true;
    } catch {
      return false;
    }
  }

  #hasFile(hash: string, bytes: number): boolean {
    return statSync(this.path(hash), { throwIfNoEntry: false })?.size === bytes;
  }

  async #writePartFile(hash: string, bytes: Uint8Array): Promise<string> {
    const partFile = `${this.path(hash)}.${randomUUID()}${partSuffix}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const file = await open(partFile, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      return partFile;
    } catch (error) {
      rmSync(partFile, { force: true });
      throw toStorageError(error);
    }
  }

  /**
   * Inserts or renews the row of a file. Another window may have deleted or created the file since the last
   * check.
   *
   * @param partFile is renamed to the file if the file is missing
   * @returns false if the file is missing, and there is no `partFile`
   */
  #insertRow(hash: string, bytes: number, partFile?: string): boolean {
    const { database, now } = this.#context;
    return database.writeDurably(() => {
      if (!this.#hasFile(hash, bytes)) {
        if (partFile === undefined) return false;
        renameWithRetrySync(partFile, this.path(hash));
      }
      database.run(
        `INSERT INTO attachments (hash, bytes, storedAt) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET storedAt = excluded.storedAt`,
        hash,
        bytes,
        now(),
      );
      return true;
    });
  }
}
