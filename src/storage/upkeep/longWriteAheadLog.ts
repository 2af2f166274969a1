import type { Database } from '../database.ts';
import { isLogLong } from '../writeAheadLog.ts';

interface LongWriteAheadLogOptions {
  /** Empties the log of the file, in another thread. */
  readonly emptyLog: () => Promise<unknown>;
  /** Called with the error of the other thread. */
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the log of a non-blocking database short. The log grows until another thread empties it.
 */
export class LongWriteAheadLog {
  readonly #database: Database;
  readonly #options: LongWriteAheadLogOptions;
  #isEmptying = false;
  #isDisposed = false;

  constructor(database: Database, options: LongWriteAheadLogOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Empties a long log. Never rejects. */
  async emptyIfLong(): Promise<void> {
    if (this.#isEmptying || !this.#isLong()) return;
    const { emptyLog, onError } = this.#options;
    this.#isEmptying = true;
    try {
      await emptyLog();
    } catch (error) {
      onError(error);
      this.#emptyHere();
    } finally {
      this.#isEmptying = false;
    }
  }

  /** Call it before the database is closed. */
  dispose(): void {
    this.#isDisposed = true;
  }

  #isLong(): boolean {
    try {
      return isLogLong(this.#database.path);
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  /** Empties the log in this thread if the other one failed, so that it does not grow forever. */
  #emptyHere(): void {
    if (this.#isDisposed) return;
    try {
      this.#database.emptyLog();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
