import { ConfigError } from './configError.ts';
import type { ReadConfig } from './configFile.ts';
import type { KeyFields } from './keys.ts';
import { workspaceOf } from './workspaceOf.ts';

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
