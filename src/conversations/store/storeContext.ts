import type { Database } from '../../storage/database.ts';

/** What every read and write of the store needs. */
export interface StoreContext {
  readonly database: Database;
  /** The random name of the window that writes. */
  readonly window: string;
  /** Wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}
