import type { Log } from '../log.ts';
import { tellReadOnly, tellSetAside } from './ledgerMessages.ts';
import type { TaskRuntime } from './taskRuntime.ts';

/** A ledger that could only be read is tried again this often. */
const lookForRoomMs = 5000;

interface StandingOptions {
  /** Path of the ledger. */
  readonly file: string;
  readonly log: Log;
  /** Called once, as soon as something can be written down. */
  readonly onWritable: () => void;
}

/**
 * Tells the user when the ledger was damaged or can only be read, and looks for room until it can be written. Ends
 * with `dispose`.
 */
export function followStanding(
  desk: TaskRuntime,
  { file, log, onWritable }: StandingOptions,
): { dispose(): void } {
  tellDamage(desk, log);
  const { readOnly } = desk.standing;
  if (readOnly === undefined) onWritable();
  else tellReadOnly(readOnly, file);
  if (readOnly === undefined || readOnly === 'newer') return { dispose: () => {} };
  const timer = setInterval(() => {
    if (!becameWritable(desk, log)) return;
    clearInterval(timer);
    onWritable();
  }, lookForRoomMs);
  return { dispose: () => clearInterval(timer) };
}

/** Told by the window that set a damaged file aside, once for each. */
function tellDamage(desk: TaskRuntime, log: Log): void {
  let told: string | undefined;
  const tell = () => {
    const { setAside, salvaged } = desk.standing;
    if (setAside === undefined || setAside === told) return;
    told = setAside;
    log.warn('task', `the file of tasks was damaged and set aside: ${setAside}`);
    void tellSetAside(setAside, salvaged);
  };
  desk.onDidReplace(tell);
  tell();
}

/** What cannot even be opened for a while is tried again like what cannot be written. */
function becameWritable(desk: TaskRuntime, log: Log): boolean {
  try {
    return desk.becameWritable();
  } catch (error) {
    log.warn('task', String(error));
    return false;
  }
}
