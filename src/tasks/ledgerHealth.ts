import type { Disposable } from '../base/disposable.ts';
import type { Database } from '../storage/database.ts';
import { eachSetAside } from '../storage/eachSetAside.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { TaskLog } from './taskLog.ts';

/** How often a read-only ledger is tried again, in milliseconds. */
const retryMs = 5000;

interface HealthOptions {
  readonly log: TaskLog;
  readonly onNotice: (notice: LedgerNotice) => void;
  /** Called once, when the ledger can be written. */
  readonly onWritable: () => void;
}

/**
 * Reports that the ledger's file was damaged or can only be read, and tries a read-only one until it can be
 * written.
 *
 * @returns what ends this
 */
export function followHealth(database: Database, { log, onNotice, onWritable }: HealthOptions): Disposable {
  const setAside = eachSetAside(database, (file, salvaged) => {
    log.warn('task', `the file of tasks was damaged and set aside: ${file}`);
    onNotice({ type: 'set-aside', file, salvaged });
  });
  const { readOnly, path } = database;
  if (readOnly === undefined) onWritable();
  else onNotice({ type: 'read-only', why: readOnly, file: path });
  if (readOnly === undefined || readOnly === 'newer') return setAside;
  const timer = setInterval(() => {
    if (!reopenForWriting(database, log)) return;
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
function reopenForWriting(database: Database, log: TaskLog): boolean {
  try {
    return database.reopenForWriting();
  } catch (error) {
    log.warn('task', String(error));
    return false;
  }
}
