import type { Database } from '../storage/database.ts';
import type { LedgerNotice } from './ledgerNotice.ts';
import type { TaskLog } from './taskLog.ts';

/** A ledger that could only be read is tried again this often. */
const retryMs = 5000;

interface StandingOptions {
  readonly log: TaskLog;
  readonly onNotice: (notice: LedgerNotice) => void;
  /** Called once, as soon as something can be written down. */
  readonly onWritable: () => void;
}

/**
 * Tells when the ledger's file was damaged or can only be read, and tries it again until it can be written.
 *
 * @returns what ends it
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

/** Told by the window that set a damaged file aside, once for each. */
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

/** What cannot even be opened for a while is tried again like what cannot be written. */
function becameWritable(database: Database, log: TaskLog): boolean {
  try {
    return database.becameWritable();
  } catch (error) {
    log.warn('task', String(error));
    return false;
  }
}
