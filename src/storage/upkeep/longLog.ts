import type { Database } from '../database.ts';
import { isLogLong } from '../log.ts';

export interface LongLogOptions {
  /** Empties the log of the file, in another thread. */
  readonly emptyLog: () => Promise<unknown>;
  /** Called with why the other thread could not. */
  readonly onError: (error: unknown) => void;
}

/** The log of a database that never waits, which grows until another thread empties it. */
export class LongLog {
  readonly #database: Database;
  readonly #options: LongLogOptions;
  #isEmptying = false;
  #isDisposed = false;

  constructor(database: Database, options: LongLogOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Has the log emptied, if it is long. Never rejects. */
  async keepShort(): Promise<void> {
    if (this.#isEmptying || !isLogLong(this.#database.path)) return;
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

  /** To be called before the database is closed. */
  dispose(): void {
    this.#isDisposed = true;
  }

  /** It must not grow for ever where no other thread can help. */
  #emptyHere(): void {
    if (this.#isDisposed) return;
    try {
      this.#database.emptyLog();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
