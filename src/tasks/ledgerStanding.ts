import type { Database } from '../storage/database.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { TaskLog } from './taskLog.ts';

/** How often a read-only ledger is tried again, in milliseconds. */
const retryMs = 5000;

interface StandingOptions {
  readonly log: TaskLog;
  readonly onNotice: (notice: LedgerNotice) => void;
  /** Called once, when the ledger can be written. */
  readonly onWritable: () => void;
}

/**
 * Reports that the ledger's file was damaged or can only be read, and tries a read-only one until it can be
 * written.
 *
 * @returns a function that ends this
 */
export function followStanding(
  database: Database,
  { log, onNotice, onWritable }: StandingOptions,
): { dispose(): void } {
  tellDamage(database, log, onNotice);
  const { readOnly, path } = database;
  if (readOnly === undefined) onWritable();
  else onNotice({ type: 'read-only', why: readOnly, file: path });
  if (readOnly === undefined || readOnly === 'newer') return { dispose: () => {} };
  const timer = setInterval(() => {
    if (!becameWritable(database, log)) return;
    clearInterval(timer);
    onWritable();
  }, retryMs);
  return { dispose: () => clearInterval(timer) };
}

/** The window that renamed a damaged file reports it, once for each file. */
function tellDamage(database: Database, log: TaskLog, onNotice: StandingOptions['onNotice']): void {
  let told: string | undefined;
  const tell = () => {
    const { setAside, salvaged } = database;
    if (setAside === undefined || setAside === told) return;
    told = setAside;
    log.warn('task', `the file of tasks was damaged and set aside: ${setAside}`);
    onNotice({ type: 'set-aside', file: setAside, salvaged });
  };
  database.onDidReplace(tell);
  tell();
}

/** A file that cannot be opened for a while is tried again like a read-only one. */
function becameWritable(database: Database, log: TaskLog): boolean {
  try {
    return database.becameWritable();
  } catch (error) {
    log.warn('task', String(error));
    return false;
  }
}
