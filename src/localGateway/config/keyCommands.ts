import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { LoadedConfig } from './configFile.ts';
import { ConfigError } from './configSchema.ts';

/**
 * Refuses key commands in a file of a workspace, which other people may have written.
 *
 * @throws {ConfigError}
 */
export function refuseKeyCommandInWorkspace(loaded: LoadedConfig): void {
  const positions = loaded.config.upstreams.flatMap(({ keyCommand, keys = [] }, i) => [
    ...(keyCommand === undefined ? [] : [loaded.describeLocation('upstreams', i, 'keyCommand')]),
    ...keys.flatMap((key, nth) =>
      key.keyCommand === undefined
        ? []
        : [loaded.describeLocation('upstreams', i, 'keys', nth, 'keyCommand')],
    ),
  ]);
  const workspace = positions.length > 0 ? findWorkspace(loaded.file) : undefined;
  if (workspace === undefined) return;
  const reason = `keyCommand is not allowed in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`;
  const lines = positions.map((position) => `  ${position}: ${reason}`);
  throw new ConfigError(`The configuration ${loaded.file} cannot be used:\n${lines.join('\n')}`);
}

/** The files and folders that editors and version control create in a workspace. */
const workspaceMarks = ['.git', '.hg', '.svn', '.vscode', '.idea', '.devcontainer'];

/**
 * Finds the workspace of a file, by its path or by the target of links: the nearest parent folder with a mark.
 * Skips the home folder, because programs store settings there under the same names.
 */
export function findWorkspace(file: string, home = homedir()): string | undefined {
  const path = resolve(file);
  const homes = [home, resolveLinks(home)];
  return [path, resolveLinks(path)]
    .map((each) => findMarkedFolder(dirname(each), homes))
    .find((each) => each !== undefined);
}

function findMarkedFolder(folder: string, homes: readonly string[]): string | undefined {
  if (
    !homes.includes(folder) &&
    !homes.includes(resolveLinks(folder)) &&
    workspaceMarks.some((mark) => existsSync(join(folder, mark)))
  )
    return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findMarkedFolder(parent, homes);
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
