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
  const reason = `a command may not stand in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`;
  throw new ConfigError(refusal(read, () => true, reason));
}

/** The configuration can be used, but only from the next start of the gateway on. */
export class RestartNeeded extends ConfigError {
  /** The commands that wait for it. */
  readonly commands: readonly string[];

  constructor(message: string, commands: readonly string[]) {
    super(message);
    this.commands = commands;
  }
}

/**
 * Refuses commands that did not stand in the file when the gateway started: whoever can write the file must not
 * run programs by it.
 *
 * @throws {RestartNeeded}
 */
export function refuseOthers(read: ReadConfig, known: ReadonlySet<string>): void {
  const isNew = (command: string) => !known.has(command);
  const others = [...keyCommandsOf(read)].filter(isNew);
  if (others.length === 0) return;
  const reason = 'a command counts only from a start of the gateway on. Start it again';
  throw new RestartNeeded(refusal(read, isNew, reason), others);
}

function refusal(read: ReadConfig, isMeant: (command: string) => boolean, reason: string): string {
  const fields: readonly KeyFields[] = read.config.upstreams;
  const lines = fields.flatMap(({ keyCommand }, i) =>
    keyCommand !== undefined && isMeant(keyCommand)
      ? [`  ${read.at('upstreams', i, 'keyCommand')}: ${reason}`]
      : [],
  );
  return `The configuration ${read.file} cannot be used:\n${lines.join('\n')}`;
}
