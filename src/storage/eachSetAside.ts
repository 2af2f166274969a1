import type { Disposable } from '../base/disposable.ts';
import type { Salvaged } from './salvage/salvage.ts';
import type { Database } from './sharedDatabase.ts';

/**
 * Calls `report` once for each broken file that was set aside: now, when opening did so, and whenever one
 * breaks while it is open.
 */
export function eachSetAside(
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
