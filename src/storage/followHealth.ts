import type { Disposable } from '../base/emitter.ts';
import type { Salvaged } from './salvage/salvage.ts';
import type { Database, DatabaseHealth } from './sharedDatabase.ts';

/** A message to the user about the file of a database. */
export type StorageNotice =
  /** The data of the file can be shown, but not changed. */
  | {
      readonly type: 'read-only';
      readonly reason: NonNullable<DatabaseHealth['readOnly']>;
      readonly file: string;
    }
  /** A damaged file was renamed to `file`, and a new one replaced it. */
  | { readonly type: 'set-aside'; readonly file: string; readonly salvaged: Salvaged | undefined };

/** The interval of attempts to write a read-only file, in milliseconds. */
const retryMs = 5000;

interface HealthOptions {
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called once, as soon as the file can be written. */
  readonly onWritable: () => void;
  /** Called with the error of each failed attempt to reopen a read-only file. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reports if the file of a database was damaged or can only be read. Retries a read-only file until it can be
 * written.
 *
 * @returns a disposable that ends the reports and retries
 */
export function followHealth(
  database: Database,
  { onNotice, onWritable, onError }: HealthOptions,
): Disposable {
  const setAside = followSetAside(database, (file, salvaged) => {
    onNotice({ type: 'set-aside', file, salvaged });
  });
  const { readOnly, path } = database;
  if (readOnly === undefined) onWritable();
  else onNotice({ type: 'read-only', reason: readOnly, file: path });
  if (readOnly === undefined || readOnly === 'newer') return setAside;
  const timer = setInterval(() => {
    if (!reopenForWriting(database, onError)) return;
    clearInterval(timer);
    onWritable();
  }, retryMs);
  return {
    dispose: () => {
      clearInterval(timer);
      setAside.dispose();
    },
  };
}

/** Returns false after an error, so that the next interval tries again. */
function reopenForWriting(database: Database, onError: (error: unknown) => void): boolean {
  try {
    return database.reopenForWriting();
  } catch (error) {
    onError(error);
    return false;
  }
}

/**
 * Calls `report` once for each damaged file that was set aside: at once if the damage was found when the database was
 * opened, and later if it is found while the database is open.
 */
export function followSetAside(
  database: Database,
  report: (file: string, salvaged: Salvaged | undefined) => void,
): Disposable {
  let reported: string | undefined;
  const check = () => {
    const { setAside, salvaged } = database;
    if (setAside === undefined || setAside === reported) return;
    reported = setAside;
    report(setAside, salvaged);
  };
  check();
  return database.onDidReplace(check);
}
