import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from './configError.ts';
import type { ReadConfig } from './configFile.ts';
import type { KeyFields } from './keys.ts';

/**
 * Refuses commands in a file of a workspace: whoever sends a folder must not run programs here.
 *
 * @throws {ConfigError}
 */
export function refuseInWorkspace(read: ReadConfig): void {
  const fields: readonly KeyFields[] = read.config.upstreams;
  const places = fields.flatMap(({ keyCommand }, i) =>
    keyCommand === undefined ? [] : [read.at('upstreams', i, 'keyCommand')],
  );
  const workspace = places.length > 0 ? workspaceOf(read.file) : undefined;
  if (workspace === undefined) return;
  const reason = `a command may not stand in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`;
  const lines = places.map((place) => `  ${place}: ${reason}`);
  throw new ConfigError(`The configuration ${read.file} cannot be used:\n${lines.join('\n')}`);
}

/** What editors and version control leave in a folder that people work in and send each other. */
const marks = ['.git', '.hg', '.svn', '.vscode', '.idea', '.devcontainer'];

/**
 * The workspace that a file belongs to, by its path or by where links lead: the nearest folder around it with
 * such a mark. The home folder is none, where programs keep settings under the same names.
 */
export function workspaceOf(file: string, home = homedir()): string | undefined {
  const path = resolve(file);
  return [path, realPath(path)].map((each) => marked(dirname(each), home)).find((each) => each !== undefined);
}

function marked(folder: string, home: string): string | undefined {
  if (folder !== home && marks.some((mark) => existsSync(join(folder, mark)))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : marked(parent, home);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
