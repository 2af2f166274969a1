import { HttpError } from '../http/httpError.ts';
import { modelFilter } from '../models/modelTable.ts';
import { openUpstream } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';
import { type ReadConfig, readConfig } from './configFile.ts';
import { accessOf, accessWords, type Consents } from './consents.ts';
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
export async function checkConfig(
  file: string,
  keys: Keys,
  consents: Consents | undefined,
  tell: (line: string) => void,
): Promise<boolean> {
  const read = readConfig(file);
  refuseInWorkspace(read);
  tell(`${file} can be used.`);
  const results = await Promise.all(
    read.config.upstreams.map((_, i) => checkUpstream(read, i, { keys, consents, tell })),
  );
  const listed = new Set(results.flatMap(({ ids }) => ids));
  for (const { name, models, strategy = 'fallback' } of read.config.aliases ?? []) {
    tell(`alias ${name} (${strategy}): ${models.join(', ')}`);
    const unlisted = results.every(({ isFine }) => isFine)
      ? models.filter((model) => !listed.has(model))
      : [];
    for (const model of unlisted)
      tell(`alias ${name}: no list has ${model}, which is asked for all the same.`);
  }
  for (const { name, models } of read.config.credentials ?? []) {
    tell(`credential ${name}: may use ${models?.join(', ') ?? 'all models'}`);
  }
  return results.every(({ isFine }) => isFine);
}

interface CheckedUpstream {
  readonly isFine: boolean;
  /** The models that it lists and serves, each as `name/id`. */
  readonly ids: readonly string[];
}

interface Checking {
  readonly keys: Keys;
  /** What the user allowed upstreams; absent where the file needs no consent. */
  readonly consents: Consents | undefined;
  readonly tell: (line: string) => void;
}

async function checkUpstream(
  read: ReadConfig,
  i: number,
  { keys, consents, tell }: Checking,
): Promise<CheckedUpstream> {
  const config = read.config.upstreams[i];
  if (!config) return { isFine: true, ids: [] };
  const access = accessOf(config);
  if (consents?.covers(access) === false) {
    const waits = `waits for your consent that ${accessWords(access, 'in-full')}`;
    tell(`${read.at('upstreams', i)}: upstream ${describe(config)} ${waits}. Allow it with --trust.`);
    return { isFine: false, ids: [] };
  }
  const { allows, shows } = modelFilter(config);
  const upstream = openUpstream(config, () => keys.given(config));
  try {
    const all = (await upstream.listModels(AbortSignal.timeout(timeoutMs))).map(({ id }) => id);
    const models = all.filter(shows);
    const hidden = models.length < all.length ? `, ${all.length - models.length} not shown` : '';
    const more = models.length > maxListed ? `, and ${models.length - maxListed} more` : '';
    const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    const names = models.length > 0 ? `: ${models.slice(0, maxListed).join(', ')}${more}` : '';
    tell(`upstream ${describe(config)}: ${count}${hidden}${names}`);
    return { isFine: true, ids: all.filter(allows).map((id) => `${config.name}/${id}`) };
  } catch (error) {
    tell(`${read.at('upstreams', i)}: upstream ${describe(config)} failed. ${reasonOf(error)}`);
    return { isFine: false, ids: [] };
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
