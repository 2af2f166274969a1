import type { Database } from '../../storage/database.ts';
import type { LedgerList } from './ledgerList.ts';
import type { LedgerReader } from './ledgerReader.ts';

/** Told of what this window wrote, after it is kept; without a key, anything may have changed. */
export type LedgerListener = (key: string | undefined) => void;

interface Change<Result> {
  readonly result: Result;
  /** Absent when nothing was changed after all. */
  readonly revision?: number;
}

/**
 * Every change of the ledger goes through here: it makes a revision, by which windows notice each other's changes,
 * and is told to the listeners once it is kept.
 */
export class LedgerChanges {
  readonly #database: Database;
  readonly #reader: LedgerReader;
  readonly #list: LedgerList;
  readonly #listeners = new Set<LedgerListener>();
  /** The last revision before which this window knows every change. */
  #known: number;
  #touchesOthers = false;

  constructor(database: Database, reader: LedgerReader, list: LedgerList) {
    this.#database = database;
    this.#reader = reader;
    this.#list = list;
    this.#known = reader.revision();
  }

  /** Changes what is kept of one task, as one transaction. */
  write<Result>(key: string, change: () => Result): Result {
    return this.#kept(
      key,
      this.#database.write(() => this.#counted(change)),
    );
  }

  /** Changes what is kept of any tasks, as one transaction. */
  writeAll(change: () => void): void {
    this.#kept(
      undefined,
      this.#database.write(() => this.#counted(change)),
    );
  }

  /** As `write`, and when it returns it is on the disk. */
  durably<Result>(key: string, change: () => Result): Result {
    return this.#kept(
      key,
      this.#database.durably(() => this.#counted(change)),
    );
  }

  /** The change that is being made is not only about the task it was begun for. */
  touchOthers(): void {
    this.#touchesOthers = true;
  }

  /** Whether another window has written since the last call. */
  byOthers(): boolean {
    const revision = this.#reader.revision();
    if (revision === this.#known) return false;
    this.#known = revision;
    return true;
  }

  /** Another file is read from now on. */
  startOver(): void {
    this.#list.forget();
    this.#known = -1;
    this.#tell(undefined);
  }

  /** Returns what ends it. */
  listen(listener: LedgerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #counted<Result>(change: () => Result): Change<Result> {
    this.#touchesOthers = false;
    const before = this.#rowsChanged();
    const result = change();
    return this.#rowsChanged() === before ? { result } : { result, revision: this.#nextRevision() };
  }

  #kept<Result>(begunFor: string | undefined, { result, revision }: Change<Result>): Result {
    if (revision === undefined) return result;
    // A gap is what another window wrote meanwhile: `byOthers` is still to say so.
    if (revision === this.#known + 1) this.#known = revision;
    const key = this.#touchesOthers ? undefined : begunFor;
    this.#list.outdate(key, revision);
    this.#tell(key);
    return result;
  }

  #tell(key: string | undefined): void {
    for (const listener of this.#listeners) {
      try {
        listener(key);
      } catch (error) {
        // What is kept is kept: whoever wrote it must not take this for a failure to write.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #rowsChanged(): number {
    return this.#database.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }

  #nextRevision(): number {
    const next = this.#reader.revision() + 1;
    this.#database.run('UPDATE revision SET n = ?', next);
    return next;
  }
}
