import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from './configError.ts';
import type { LoadedConfig } from './configFile.ts';

/**
 * Refuses commands in a file of a workspace: a folder from other people must not run programs here.
 *
 * @throws {ConfigError}
 */
export function refuseKeyCommandInWorkspace(read: LoadedConfig): void {
  const positions = read.config.upstreams.flatMap(({ keyCommand, keys = [] }, i) => [
    ...(keyCommand === undefined ? [] : [read.locationOf('upstreams', i, 'keyCommand')]),
    ...keys.flatMap((key, nth) =>
      key.keyCommand === undefined ? [] : [read.locationOf('upstreams', i, 'keys', nth, 'keyCommand')],
    ),
  ]);
  const workspace = positions.length > 0 ? workspaceOf(read.file) : undefined;
  if (workspace === undefined) return;
  const reason = `keyCommand is not allowed in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`;
  const lines = positions.map((position) => `  ${position}: ${reason}`);
  throw new ConfigError(`The configuration ${read.file} cannot be used:\n${lines.join('\n')}`);
}

/** Files of editors and version control in folders that people work in and exchange. */
const workspaceMarks = ['.git', '.hg', '.svn', '.vscode', '.idea', '.devcontainer'];

/**
 * The workspace of a file, by its path or by the target of links: the nearest parent folder with a mark. The
 * home folder does not count, because programs store settings there under the same names.
 */
export function workspaceOf(file: string, home = homedir()): string | undefined {
  const path = resolve(file);
  const homes = [home, realPath(home)];
  return [path, realPath(path)]
    .map((each) => markedFolder(dirname(each), homes))
    .find((each) => each !== undefined);
}

function markedFolder(folder: string, homes: readonly string[]): string | undefined {
  if (
    !homes.includes(folder) &&
    !homes.includes(realPath(folder)) &&
    workspaceMarks.some((mark) => existsSync(join(folder, mark)))
  )
    return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : markedFolder(parent, homes);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
