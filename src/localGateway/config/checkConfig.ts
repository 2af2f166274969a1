import { HttpError } from '../http/httpError.ts';
import { createModelFilter } from '../models/modelTable.ts';
import { deriveKeyName } from '../upstreams/keys/upstreamKey.ts';
import { openUpstream } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';
import type { LoadedConfig } from './configFile.ts';
import { refuseKeyCommandInWorkspace } from './configFile.ts';
import { parseCredentialEnd } from './configSchema.ts';
import { type Consents, describeAccess, readUpstreamAccess } from './consents.ts';
import type { KeySources } from './keySources.ts';
import { readSpendingLimits } from './spendingLimits.ts';

const timeoutMs = 20_000;
const maxListed = 20;

/**
 * Tests a configuration: requests the models of every upstream, for up to 20 seconds each.
 *
 * @param printLine called with each line of the result, as it becomes available
 * @returns whether all upstreams replied and accepted their keys
 * @throws {ConfigError} for a key command that is not allowed
 */
export async function checkConfig(
  loaded: LoadedConfig,
  keys: KeySources,
  consents: Consents | undefined,
  printLine: (line: string) => void,
): Promise<boolean> {
  refuseKeyCommandInWorkspace(loaded);
  printLine(`${loaded.file} can be used.`);
  const results = await Promise.all(
    loaded.config.upstreams.map((upstream, i) =>
      checkUpstream(upstream, loaded.describeLocation('upstreams', i), { keys, consents, printLine }),
    ),
  );
  const listedIds = new Set(results.flatMap(({ ids }) => ids));
  for (const { name, models, strategy = 'fallback' } of loaded.config.aliases ?? []) {
    printLine(`alias ${name} (${strategy}): ${models.join(', ')}`);
    const unlistedModels = results.every(({ isUsable }) => isUsable)
      ? models.filter((model) => !listedIds.has(model))
      : [];
    for (const model of unlistedModels)
      printLine(`alias ${name}: no upstream lists ${model}. Requests for it are sent anyway.`);
  }
  for (const { name, initiator = 'all credentials' } of readSpendingLimits(loaded.config))
    printLine(`limit of ${initiator}: ${name}`);
  for (const [i, { name, models, expires }] of (loaded.config.credentials ?? []).entries()) {
    printLine(`credential ${name}: may use ${models?.join(', ') ?? 'all models'}`);
    if (expires !== undefined && Date.now() >= (parseCredentialEnd(expires) ?? 0))
      printLine(
        `${loaded.describeLocation('credentials', i, 'expires')}: credential ${name} expired (${expires}). Its requests are refused.`,
      );
  }
  return results.every(({ isUsable }) => isUsable);
}

interface CheckedUpstream {
  readonly isUsable: boolean;
  /** The models that the upstream lists and the gateway serves, each as `name/id`. */
  readonly ids: readonly string[];
}

interface CheckContext {
  readonly keys: KeySources;
  /** The user's consents to upstreams; absent if the file does not need consent. */
  readonly consents: Consents | undefined;
  readonly printLine: (line: string) => void;
}

async function checkUpstream(
  config: UpstreamConfig,
  location: string,
  { keys, consents, printLine }: CheckContext,
): Promise<CheckedUpstream> {
  const access = readUpstreamAccess(config);
  if (consents?.covers(access) === false) {
    const reason = `waits for your consent that ${describeAccess(access, 'in-full')}`;
    printLine(`${location}: upstream ${describeUpstream(config)} ${reason}. Allow it with --trust.`);
    return { isUsable: false, ids: [] };
  }
  const { allows, shows } = createModelFilter(config);
  const areKeysAccepted = await checkKeys(config, location, { keys, consents, printLine });
  const { upstream } = openUpstream(config, keys.getExternalKeys(config));
  try {
    const ids = (await upstream.listModels(AbortSignal.timeout(timeoutMs))).map(({ id }) => id);
    const models = ids.filter(shows);
    const hiddenText = models.length < ids.length ? `, ${ids.length - models.length} not shown` : '';
    const more = models.length > maxListed ? `, and ${models.length - maxListed} more` : '';
    const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    const names = models.length > 0 ? `: ${models.slice(0, maxListed).join(', ')}${more}` : '';
    printLine(`upstream ${describeUpstream(config)}: ${count}${hiddenText}${names}`);
    return { isUsable: areKeysAccepted, ids: ids.filter(allows).map((id) => `${config.name}/${id}`) };
  } catch (error) {
    printLine(`${location}: upstream ${describeUpstream(config)} failed. ${describeFailure(error)}`);
    return { isUsable: false, ids: [] };
  } finally {
    await upstream.close();
  }
}

/**
 * Lists the models once with each key if there are several, because a single list uses only the first key.
 *
 * @returns whether all keys were accepted; true if there is nothing to check
 */
async function checkKeys(
  { keys: listedKeys = [], ...config }: UpstreamConfig,
  location: string,
  { keys, printLine }: CheckContext,
): Promise<boolean> {
  if (listedKeys.length < 2 || config.models) return true;
  const { readVariable } = keys.getExternalKeys(config);
  const results = await Promise.all(
    listedKeys.map(async ({ name, ...source }) => {
      const { upstream } = openUpstream(
        { ...config, ...source },
        { readStored: () => undefined, readVariable },
      );
      try {
        await upstream.listModels(AbortSignal.timeout(timeoutMs));
        return true;
      } catch (error) {
        const key = deriveKeyName({ name, ...source });
        printLine(`${location}: upstream ${config.name}, ${key} failed. ${describeFailure(error)}`);
        return false;
      } finally {
        await upstream.close();
      }
    }),
  );
  return results.every(Boolean);
}

function describeUpstream({ name, kind, baseUrl }: UpstreamConfig): string {
  return `${name} (${kind}, ${new URL(baseUrl).origin})`;
}

function describeFailure(error: unknown): string {
  return error instanceof HttpError ? error.message : 'Its models could not be listed.';
}
