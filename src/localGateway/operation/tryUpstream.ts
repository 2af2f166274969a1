import { redact } from '../../wire/secrets/redact.ts';
import { ConfigError, upstream } from '../config/configSchema.ts';
import { HttpError } from '../http/httpError.ts';
import { formatPath, listSchemaProblems } from '../http/schemaProblem.ts';
import { openUpstream } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';

/** The codes of failures after which another address may list the models. */
const noListCodes: ReadonlySet<string> = new Set([
  'upstream_model_list',
  'upstream_redirect',
  'upstream_status',
]);

/** The address that listed models, and the IDs of the models. */
export interface TriedUpstream {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** The time limit of all requests, in milliseconds. It is shorter than a window's own limit for the reply. */
const timeoutMs = 12_000;

/**
 * Requests the IDs of an upstream's models, without storing anything. If the address does not list models, the
 * other addresses are tried in turn, because users enter addresses with and without the version of the API's paths.
 * An empty list is returned only if no other address has models.
 *
 * @param entry an upstream in the form of the configuration
 * @param otherUrls other addresses at the origin of its `baseUrl`; the key is not sent to other origins
 * @throws {ConfigError} with the problem of the first address, without the key
 */
export async function tryUpstream(
  entry: unknown,
  key: string | undefined,
  otherUrls: readonly string[] = [],
): Promise<TriedUpstream> {
  const config = parseUpstream(entry);
  if ([config, ...(config.keys ?? [])].some((each) => each.keyCommand !== undefined))
    throw new ConfigError(
      'A keyCommand is not run here. Add the upstream to the configuration and start the gateway.',
    );
  const signal = AbortSignal.timeout(timeoutMs);
  const { origin } = new URL(config.baseUrl);
  const others = otherUrls.filter((url) => URL.canParse(url) && new URL(url).origin === origin);
  const first = await listModelsAt(config, key, signal).catch((error: unknown) => ({ error }));
  const shouldTryOthers = 'error' in first ? hasNoList(first.error) : first.models.length === 0;
  for (const baseUrl of shouldTryOthers ? others : []) {
    const result = await listModelsAt({ ...config, baseUrl }, key, signal).catch(() => undefined);
    if (result && ('error' in first || result.models.length > 0)) return result;
  }
  if (!('error' in first)) return first;
  const problem = first.error instanceof HttpError ? first.error.message : 'Its models could not be listed.';
  throw new ConfigError(key ? redact(problem, [key]) : problem);
}

/** Whether the upstream replied, but not with a list of models. */
function hasNoList(error: unknown): boolean {
  return error instanceof HttpError && noListCodes.has(error.code);
}

async function listModelsAt(
  config: UpstreamConfig,
  key: string | undefined,
  signal: AbortSignal,
): Promise<TriedUpstream> {
  const { upstream } = openUpstream(config, { readStored: () => key, readVariable: () => undefined });
  try {
    const models = await upstream.listModels(signal);
    return { baseUrl: config.baseUrl, models: models.map(({ id }) => id) };
  } finally {
    await upstream.close();
  }
}

/**
 * Checks an upstream in the form of the configuration.
 *
 * @throws {ConfigError}
 */
export function parseUpstream(entry: unknown): UpstreamConfig {
  const result = upstream.safeParse(entry);
  if (result.success) return result.data;
  const [problem] = listSchemaProblems(result.error, entry);
  throw new ConfigError(
    problem ? `${formatPath(problem.path)}: ${problem.problem}` : 'This is not a valid upstream.',
  );
}
