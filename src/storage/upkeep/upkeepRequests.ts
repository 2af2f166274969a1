import type { Database } from '../database.ts';
import type { Salvaged } from '../salvage/salvage.ts';
import type { RequestHandlers, RequestKind } from '../worker/requestWorker.ts';

/** The work of a worker on the file of a database, for a thread that must not be blocked. */
export interface UpkeepRequests {
  /** Migrates the file to the version of this program. Copies a file of an earlier version first. */
  readonly migrate: RequestKind<undefined, Damage | undefined>;
  /** Checks the whole file. */
  readonly check: RequestKind<undefined, Damage | undefined>;
  /** Replaces the file with a new one that contains the rows that can be saved, if it has this inode. */
  readonly repair: RequestKind<number, Damage | undefined>;
  /** Moves the content of the log into the file. */
  readonly emptyLog: RequestKind<undefined, Damage | undefined>;
}

/** A damaged file that was replaced by a new one with the saved rows. */
interface Damage {
  /** The new path of the damaged file. */
  readonly file: string;
  readonly salvaged: Salvaged | undefined;
}

/**
 * Creates the handlers of these requests, in the worker.
 *
 * @param open opens the database; it is closed after each request
 */
export function createUpkeepHandlers(open: () => Database): RequestHandlers<UpkeepRequests> {
  async function withDatabase(act: (database: Database) => void): Promise<Damage | undefined> {
    const database = open();
    try {
      act(database);
      return readDamage(database);
    } finally {
      database.close();
    }
  }

  return {
    migrate: () => withDatabase(() => undefined),
    check: () => withDatabase((database) => database.check()),
    repair: (inode) => withDatabase((database) => database.repair(inode)),
    emptyLog: () => withDatabase((database) => database.emptyLog()),
  };
}

function readDamage({ setAside: file, salvaged }: Database): Damage | undefined {
  return file === undefined ? undefined : { file, salvaged };
}
