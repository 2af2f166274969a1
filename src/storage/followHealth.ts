import type { Disposable } from '../base/disposable.ts';
import { eachSetAside } from './eachSetAside.ts';
import type { Salvaged } from './salvage/salvage.ts';
import type { Database, DatabaseHealth } from './sharedDatabase.ts';

/** What the user learns about the file of a database. */
export type StorageNotice =
  /** What is in the file is shown, but cannot be changed. */
  | {
      readonly type: 'read-only';
      readonly why: NonNullable<DatabaseHealth['readOnly']>;
      readonly file: string;
    }
  /** A damaged file was renamed to `file`, and a new one replaced it. */
  | { readonly type: 'set-aside'; readonly file: string; readonly salvaged: Salvaged | undefined };

/** How often a read-only file is tried again, in milliseconds. */
const retryMs = 5000;

export interface HealthOptions {
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called once, when the file can be written. */
  readonly onWritable: () => void;
  /** Called when a file that can only be read cannot be opened at all for a while. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reports that the file of a database was damaged or can only be read, and tries a read-only one until it can
 * be written.
 *
 * @returns what ends this
 */
export function followHealth(
  database: Database,
  { onNotice, onWritable, onError }: HealthOptions,
): Disposable {
  const setAside = eachSetAside(database, (file, salvaged) => {
    onNotice({ type: 'set-aside', file, salvaged });
  });
  const { readOnly, path } = database;
  if (readOnly === undefined) onWritable();
  else onNotice({ type: 'read-only', why: readOnly, file: path });
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

/** A file that cannot be opened for a while is tried again like a read-only one. */
function reopenForWriting(database: Database, onError: (error: unknown) => void): boolean {
  try {
    return database.reopenForWriting();
  } catch (error) {
    onError(error);
    return false;
  }
}
