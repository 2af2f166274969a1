import { HttpError } from '../httpError.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';
import { openUpstream } from '../upstreams/upstreamKinds.ts';
import { type ReadConfig, readConfig } from './configFile.ts';
import { refuseInWorkspace } from './keyCommands.ts';
import type { Keys } from './keys.ts';

const timeoutMs = 20_000;
const maxListed = 20;

/**
 * Tries a configuration: reads it, and asks every upstream for its models.
 *
 * @param tell called with each line of the result, as it comes
 * @returns whether all upstreams answered
 * @throws {ConfigError}
 */
export async function checkConfig(file: string, keys: Keys, tell: (line: string) => void): Promise<boolean> {
  const read = readConfig(file);
  refuseInWorkspace(read);
  tell(`${file} can be used.`);
  const results = await Promise.all(read.config.upstreams.map((_, i) => checkUpstream(read, i, keys, tell)));
  for (const { name, models } of read.config.credentials ?? []) {
    tell(`credential ${name}: may use ${models?.join(', ') ?? 'all models'}`);
  }
  return results.every((isFine) => isFine);
}

async function checkUpstream(read: ReadConfig, i: number, keys: Keys, tell: (line: string) => void) {
  const config = read.config.upstreams[i];
  if (!config) return true;
  const upstream = openUpstream(config, () => keys.given(config));
  try {
    const models = (await upstream.listModels(AbortSignal.timeout(timeoutMs))).map(({ id }) => id);
    const more = models.length > maxListed ? `, and ${models.length - maxListed} more` : '';
    const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    tell(`upstream ${describe(config)}: ${count}: ${models.slice(0, maxListed).join(', ')}${more}`);
    return true;
  } catch (error) {
    tell(`${read.at('upstreams', i)}: upstream ${describe(config)} failed. ${reasonOf(error)}`);
    return false;
  } finally {
    await upstream.close();
  }
}

function describe({ name, kind, baseUrl }: UpstreamConfig): string {
  return `${name} (${kind}, ${new URL(baseUrl).origin})`;
}

function reasonOf(error: unknown): string {
  return error instanceof HttpError ? error.message : 'Its models could not be listed.';
}
