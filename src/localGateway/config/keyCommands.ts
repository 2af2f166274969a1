import { ConfigError } from './configError.ts';
import type { ReadConfig } from './configFile.ts';
import type { KeyFields } from './keys.ts';
import { workspaceOf } from './workspaceOf.ts';

/** The commands that a configuration runs for keys. */
export function keyCommandsOf({ config }: ReadConfig): ReadonlySet<string> {
  const fields: readonly KeyFields[] = config.upstreams;
  return new Set(fields.flatMap(({ keyCommand }) => (keyCommand === undefined ? [] : [keyCommand])));
}

/**
 * Refuses commands in a file of a workspace: whoever sends a folder must not run programs here.
 *
 * @throws {ConfigError}
 */
export function refuseInWorkspace(read: ReadConfig): void {
  if (keyCommandsOf(read).size === 0) return;
  const workspace = workspaceOf(read.file);
  if (workspace === undefined) return;
  throw refused(
    read,
    () => true,
    `a command may not stand in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`,
  );
}

/**
 * Refuses commands that did not stand in the file when the gateway started: whoever can write the file must not
 * run programs by it.
 *
 * @throws {ConfigError}
 */
export function refuseOthers(read: ReadConfig, known: ReadonlySet<string>): void {
  const isNew = (command: string) => !known.has(command);
  if (![...keyCommandsOf(read)].some(isNew)) return;
  throw refused(read, isNew, 'a command counts only from a start of the gateway on. Start it again');
}

function refused(read: ReadConfig, isMeant: (command: string) => boolean, reason: string): ConfigError {
  const fields: readonly KeyFields[] = read.config.upstreams;
  const lines = fields.flatMap(({ keyCommand }, i) =>
    keyCommand !== undefined && isMeant(keyCommand)
      ? [`  ${read.at('upstreams', i, 'keyCommand')}: ${reason}`]
      : [],
  );
  return new ConfigError(`The configuration ${read.file} cannot be used:\n${lines.join('\n')}`);
}
