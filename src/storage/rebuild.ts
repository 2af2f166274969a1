import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkDaily, isEmpty } from './check.ts';
import { connect } from './connection.ts';
import { migrate } from './migrate.ts';
import { salvage } from './salvage.ts';
import { companions, patientlyRename, setAside } from './setAside.ts';

/**
 * Makes a new database at `path`, for this user alone, with whatever can be saved of a broken one that lies there;
 * that one is set aside. Complete before it takes the place: whoever dies on the way leaves nothing half made.
 *
 * @returns where the broken one went, undefined where there was none
 */
export function rebuild(path: string, migrations: readonly string[], now: number): string | undefined {
  const draft = `${path}.new`;
  for (const companion of companions) rmSync(draft + companion, { force: true });
  // SQLite gives the files it makes beside this one the same mode.
  closeSync(openSync(draft, 'wx', 0o600));
  const connection = connect(draft);
  try {
    if (!isEmpty(path)) salvage(path, connection, migrations);
    migrate(connection, migrations);
    checkDaily(connection, now);
  } finally {
    connection.close();
  }
  const aside = companions.some((companion) => existsSync(path + companion))
    ? setAside(path, now)
    : undefined;
  patientlyRename(draft, path);
  flushFolder(dirname(path));
  return aside;
}

/** Else a loss of power could take the file's name, and all that was written to it. Windows does it by itself. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
