import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import { listSetAside } from '../../storage/setAside.ts';
import { toStorageError } from '../../storage/sqlite/storageError.ts';
import type { StoreContext } from './storeContext.ts';

/** A SHA-256 in hexadecimal digits; also the file name. */
const hashPattern = /^[0-9a-f]{64}$/;
const draftSuffix = '.part';
/** Holds the pictures that have been unused since the database was damaged. */
const asideFolder = 'set-aside';

/**
 * The bytes of attachments, stored once each, in files named after their SHA-256. They are not in the database,
 * because they would slow down every check and copy of it.
 */
export class Attachments {
  readonly #context: StoreContext;
  readonly #folder: string;

  constructor(context: StoreContext, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  /**
   * Stores bytes; durable. Unused bytes are deleted after 30 days.
   *
   * @returns their hash
   * @throws {StorageError}
   */
  async add(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (this.#isThere(hash, bytes.length) && (await retryWhileBusy(() => this.#insert(hash, bytes.length)))) {
      await this.#context.database.flush();
      return hash;
    }
    const draft = await this.#writeDraft(hash, bytes);
    try {
      await retryWhileBusy(() => this.#insert(hash, bytes.length, draft));
    } finally {
      rmSync(draft, { force: true });
    }
    await this.#context.database.flush();
    return hash;
  }

  /** The bytes of an attachment; undefined if they are missing. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    if (!this.has(hash)) return undefined;
    return readFile(this.path(hash)).catch(() => undefined);
  }

  /** Like `read`, but synchronous. */
  readNow(hash: string): Uint8Array | undefined {
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
    return existsSync(this.path(hash)) || this.#bringBack(hash);
  }

  /** The path of an attachment's bytes, if they exist. */
  path(hash: string): string {
    return join(this.#folder, hash);
  }

  /**
   * Deletes bytes stored before a time that no message or draft uses. Runs within a transaction, so that no
   * other window starts to use them at the same time.
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
    // If a damaged file lost messages, their pictures are unknown.
    const isSafeToDelete = listSetAside(database.path).every(({ isSaved }) => isSaved);
    const remove = isSafeToDelete
      ? (hash: string) => rmSync(this.path(hash), { force: true })
      : this.#setAside;
    for (const { hash } of unused) remove(hash);
    for (const name of this.#strays(before)) {
      if (hashPattern.test(name)) remove(name);
      else rmSync(this.path(name), { force: true });
    }
    if (isSafeToDelete) rmSync(this.path(asideFolder), { recursive: true, force: true });
  }

  readonly #setAside = (hash: string): void => {
    mkdirSync(this.path(asideFolder), { recursive: true, mode: 0o700 });
    if (existsSync(this.path(hash))) renameSync(this.path(hash), join(this.path(asideFolder), hash));
  };

  /** Old files without a row, left by windows that ended during a write, or by damage. */
  #strays(before: number): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    const referencedHashes = new Set(
      this.#context.database
        .values(`SELECT hash FROM attachments UNION SELECT hash FROM attachmentUses
          UNION SELECT value FROM drafts, json_each(drafts.attachments)`)
        .map(([hash]) => String(hash)),
    );
    return readdirSync(this.#folder).filter((name) => {
      if (referencedHashes.has(name) || !(hashPattern.test(name) || name.endsWith(draftSuffix))) return false;
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
      throw toStorageError(error);
    }
  }

  /**
   * Another window may have deleted or created the file since the last check.
   *
   * @returns false if the file does not exist, and there is no draft to replace it
   */
  #insert(hash: string, bytes: number, draft?: string): boolean {
    const { database, now } = this.#context;
    return database.writeDurably(() => {
      if (!this.#isThere(hash, bytes)) {
        if (draft === undefined) return false;
        renameSync(draft, this.path(hash));
      }
      database.run(
        `INSERT INTO attachments (hash, bytes, storedAt) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET storedAt = excluded.storedAt`,
        ...[hash, bytes, now()],
      );
      return true;
    });
  }
}
