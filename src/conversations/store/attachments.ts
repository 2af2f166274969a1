import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asStorageError } from '../../storage/storageError.ts';
import { whenFree } from '../../storage/whenFree.ts';
import type { StoreContext } from './storeContext.ts';

/** A SHA-256 in hexadecimal digits, which is a file's name as well. */
const hashPattern = /^[0-9a-f]{64}$/;
const draftSuffix = '.part';

/**
 * The bytes of attachments, each once, in files that are named after their SHA-256. The files lie beside the
 * database, since bytes in it would make every check and every copy of it as slow as they are big.
 */
export class Attachments {
  readonly #context: StoreContext;
  readonly #folder: string;

  constructor(context: StoreContext, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  /**
   * Keeps bytes; durable. While nothing uses them they stay for 30 days.
   *
   * @returns their hash
   * @throws {StorageError}
   */
  async keep(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (this.#isThere(hash, bytes.length) && (await whenFree(() => this.#insert(hash, bytes.length)))) {
      await this.#context.database.flush();
      return hash;
    }
    const draft = await this.#writeDraft(hash, bytes);
    try {
      await whenFree(() => this.#insert(hash, bytes.length, draft));
    } finally {
      rmSync(draft, { force: true });
    }
    await this.#context.database.flush();
    return hash;
  }

  /** The bytes of an attachment; undefined when they are gone. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    if (!this.has(hash)) return undefined;
    return readFile(this.path(hash)).catch(() => undefined);
  }

  /** Whether the bytes are there. */
  has(hash: string): boolean {
    return hashPattern.test(hash) && existsSync(this.path(hash));
  }

  /** Where the bytes of an attachment lie, if they are there. */
  path(hash: string): string {
    return join(this.#folder, hash);
  }

  /**
   * Deletes the bytes that neither a message nor a draft uses, and that were kept before a time. Runs within a
   * transaction, so that nobody begins to use them meanwhile.
   *
   * @param before in milliseconds since 1970
   */
  purge(before: number): void {
    const { database } = this.#context;
    const unused = database.all<{ hash: string }>(
      `DELETE FROM attachments WHERE keptAt < ? AND hash NOT IN (SELECT hash FROM attachmentUses)
         AND hash NOT IN (SELECT value FROM drafts, json_each(drafts.attachments)) RETURNING hash`,
      before,
    );
    for (const { hash } of unused) rmSync(this.path(hash), { force: true });
    this.#removeDrafts(before);
  }

  /** What windows left behind that ended while they wrote. */
  #removeDrafts(before: number): void {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    for (const name of names.filter((each) => each.endsWith(draftSuffix))) {
      const path = join(this.#folder, name);
      const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before;
      if (modified < before) rmSync(path, { force: true });
    }
  }

  #isThere(hash: string, bytes: number): boolean {
    return statSync(this.path(hash), { throwIfNoEntry: false })?.size === bytes;
  }

  async #writeDraft(hash: string, bytes: Uint8Array): Promise<string> {
    const draft = `${this.path(hash)}.${randomUUID()}${draftSuffix}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      return draft;
    } catch (error) {
      rmSync(draft, { force: true });
      throw asStorageError(error);
    }
  }

  /**
   * Another window may have deleted the file, or made it, since this one looked.
   *
   * @returns false when the file is not there, and no draft can take its place
   */
  #insert(hash: string, bytes: number, draft?: string): boolean {
    const { database, now } = this.#context;
    return database.writeDurably(() => {
      if (!this.#isThere(hash, bytes)) {
        if (draft === undefined) return false;
        renameSync(draft, this.path(hash));
      }
      database.run(
        `INSERT INTO attachments (hash, bytes, keptAt) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET keptAt = excluded.keptAt`,
        ...[hash, bytes, now()],
      );
      return true;
    });
  }
}
