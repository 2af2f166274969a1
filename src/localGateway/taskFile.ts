import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Database } from '../storage/database.ts';
import { openTaskDatabase, TaskStore } from './taskStore.ts';

/** Where tasks are kept when nobody says otherwise: in the folder of this system for a user's own state. */
export function defaultTaskFile(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  return join(stateFolder(platform, env, home), 'model-gateway', 'tasks.sqlite');
}

function stateFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home: string): string {
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  const { XDG_STATE_HOME: folder = '' } = env;
  return isAbsolute(folder) ? folder : join(home, '.local', 'state');
}

/** A file that could only be read is tried again this often. */
const tryAgainMs = 5_000;

/** The tasks, in a file that is opened when they are first asked for. */
export interface TaskFile {
  /** Throws a StorageError as long as the file cannot be used; everything else of the gateway works without. */
  open(): TaskStore;
  close(): void;
}

export function taskFile(path: string, log: (line: string) => void): TaskFile {
  let opened: { readonly database: Database; readonly store: TaskStore } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  return {
    open() {
      opened ??= openStore(path, log);
      const { database, store } = opened;
      if (database.readOnly !== undefined && performance.now() - triedAt >= tryAgainMs) {
        triedAt = performance.now();
        if (database.becameWritable()) log('the file of the tasks can be written again');
        else log(`the file of the tasks can only be read (${database.readOnly})`);
      }
      return store;
    },
    close: () => opened?.store.close(),
  };
}

function openStore(path: string, log: (line: string) => void) {
  const database = openTaskDatabase(path);
  let told: string | undefined;
  const tell = () => {
    const { setAside, salvaged } = database;
    if (setAside === undefined || setAside === told) return;
    told = setAside;
    const { kept = 0, lost = 0 } = salvaged ?? {};
    log(
      `the file of the tasks was broken; it was set aside as ${setAside} (tasks saved: ${kept}, lost: ${lost})`,
    );
  };
  database.onDidReplace(tell);
  tell();
  const clocks = { now: Date.now, monotonic: () => performance.now() };
  return { database, store: new TaskStore(database, clocks) };
}
