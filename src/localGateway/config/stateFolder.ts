import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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
 * The files of a folder. The folder is created with access for the user only if it is missing. Their paths are
 * absolute, because readers of a path may work in another folder.
 */
export function openStateFolder(folder: string = defaultStateFolder()): StateFolder {
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

/** The system's folder for the user's state. */
export function defaultStateFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  return join(parentFolder(platform, env, home), 'model-gateway');
}

function parentFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home: string): string {
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  const { XDG_STATE_HOME: folder = '' } = env;
  return isAbsolute(folder) ? folder : join(home, '.local', 'state');
}
