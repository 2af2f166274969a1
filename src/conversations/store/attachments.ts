import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asideFiles } from '../../storage/setAside.ts';
import { asStorageError } from '../../storage/sqlite/storageError.ts';
import { whenFree } from '../../storage/whenFree.ts';
import type { StoreContext } from './storeContext.ts';

/** A SHA-256 in hexadecimal digits, which is a file's name as well. */
const hashPattern = /^[0-9a-f]{64}$/;
const draftSuffix = '.part';
/** Holds the pictures that nothing uses any more since the database was damaged. */
const asideFolder = 'set-aside';

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

  /** Like `read`, while this thread waits. */
  readNow(hash: string): Uint8Array | undefined {
    if (!this.has(hash)) return undefined;
    try {
      return readFileSync(this.path(hash));
    } catch {
      return undefined;
    }
  }

  /** Whether the bytes are there. */
  has(hash: string): boolean {
    if (!hashPattern.test(hash)) return false;
    return existsSync(this.path(hash)) || this.#bringBack(hash);
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
    // Where a damaged file lost messages, nobody knows which pictures they used.
    const isLossKnown = asideFiles(database.path).every(({ isSaved }) => isSaved);
    const remove = isLossKnown ? (hash: string) => rmSync(this.path(hash), { force: true }) : this.#setAside;
    for (const { hash } of unused) remove(hash);
    for (const name of this.#strays(before)) {
      if (hashPattern.test(name)) remove(name);
      else rmSync(this.path(name), { force: true });
    }
    if (isLossKnown) rmSync(this.path(asideFolder), { recursive: true, force: true });
  }

  readonly #setAside = (hash: string): void => {
    mkdirSync(this.path(asideFolder), { recursive: true, mode: 0o700 });
    if (existsSync(this.path(hash))) renameSync(this.path(hash), join(this.path(asideFolder), hash));
  };

  /** The old files that no row names: left behind by windows that ended while they wrote, and by damage. */
  #strays(before: number): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    const known = new Set(
      this.#context.database
        .values(`SELECT hash FROM attachments UNION SELECT hash FROM attachmentUses
          UNION SELECT value FROM drafts, json_each(drafts.attachments)`)
        .map(([hash]) => String(hash)),
    );
    return readdirSync(this.#folder).filter((name) => {
      if (known.has(name) || !(hashPattern.test(name) || name.endsWith(draftSuffix))) return false;
      return (statSync(this.path(name), { throwIfNoEntry: false })?.mtimeMs ?? before) < before;
    });
  }

  /** @returns whether it had been set aside */
  #bringBack(hash: string): boolean {
    try {
      renameSync(join(this.path(asideFolder), hash), this.path(hash));
      return true;
    } catch {
      return false;
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
