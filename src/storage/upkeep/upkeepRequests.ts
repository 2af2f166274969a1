import type { Database } from '../database.ts';
import type { Salvaged } from '../salvage/salvage.ts';
import type { RequestKind } from '../worker/requestKind.ts';
import type { RequestHandlers } from '../worker/serveRequests.ts';

/** What a worker does with the file of a database, for a thread that must go on. */
export interface UpkeepRequests {
  /** Brings the file to the version of this program, and copies an earlier one first. */
  readonly migrate: RequestKind<undefined, Damage | undefined>;
  /** Checks the whole file. */
  readonly check: RequestKind<undefined, Damage | undefined>;
  /** Replaces the file by what can be saved of it, if it has this inode. */
  readonly repair: RequestKind<number, Damage | undefined>;
  /** Moves into the file what is in its log. */
  readonly emptyLog: RequestKind<undefined, undefined>;
}

/** A damaged file was replaced by what could be saved of it. */
export interface Damage {
  /** The new path of the damaged file. */
  readonly file: string;
  readonly salvaged: Salvaged | undefined;
}

/** @param open opens the database, which is closed after each request */
export function upkeepHandlers(open: () => Database): RequestHandlers<UpkeepRequests> {
  async function after(act: (database: Database) => void): Promise<Damage | undefined> {
    const database = open();
    try {
      act(database);
      return damageOf(database);
    } finally {
      database.close();
    }
  }

  return {
    migrate: () => after(() => undefined),
    check: () => after((database) => database.check()),
    repair: (inode) => after((database) => database.repair(inode)),
    async emptyLog() {
      await after((database) => database.emptyLog());
      return undefined;
    },
  };
}

function damageOf({ setAside: file, salvaged }: Database): Damage | undefined {
  return file === undefined ? undefined : { file, salvaged };
}
