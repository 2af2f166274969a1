import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { renameWithRetrySync } from '../../storage/renameWithRetry.ts';

/** The files of a gateway that persist across restarts. Only one gateway at a time runs with the same folder. */
export interface StateFolder {
  readonly path: string;
  readonly credential: string;
  readonly port: string;
  /** The address of the running gateway. */
  readonly running: string;
  readonly tasks: string;
  /** The counts of the spending limits. */
  readonly spending: string;
  /** The user's consents to upstreams. */
  readonly consents: string;
}

/**
 * Returns the files of a folder. A missing folder is created with access only for the user. The paths are absolute,
 * because other processes with another working directory read some of them.
 */
export function openStateFolder(folder: string = findDefaultStateFolder()): StateFolder {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    path,
    credential: join(path, 'credential'),
    port: join(path, 'port'),
    running: join(path, 'running.json'),
    tasks: join(path, 'tasks.sqlite'),
    spending: join(path, 'spending.sqlite'),
    consents: join(path, 'consents.json'),
  };
}

/** Finds the gateway's folder in the system's folder for the user's state. */
export function findDefaultStateFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  return join(findParentFolder(platform, env, home), 'model-gateway');
}

function findParentFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home: string): string {
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  const { XDG_STATE_HOME: folder = '' } = env;
  return isAbsolute(folder) ? folder : join(home, '.local', 'state');
}

/**
 * Writes a file that only the user can read. Concurrent readers find either the earlier or the complete new
 * content, even if the process is killed.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    // The umask may have removed rights of the owner from the mode of `open`.
    fchmodSync(file, 0o600);
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameWithRetrySync(draft, path);
}
