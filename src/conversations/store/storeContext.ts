import type { Database } from '../../storage/database.ts';

/** The dependencies of all reads and writes of the store. */
export interface StoreContext {
  readonly database: Database;
  /** The random name of the window that writes. */
  readonly window: string;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}
