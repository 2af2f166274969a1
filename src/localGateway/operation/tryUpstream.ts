import { redact } from '../../wire/secrets/redact.ts';
import { ConfigError } from '../config/configError.ts';
import { upstream } from '../config/configSchema.ts';
import { HttpError } from '../http/httpError.ts';
import { pathText, schemaProblems } from '../http/schemaProblem.ts';
import { openUpstream } from '../upstreams/kinds/upstreamKinds.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';

const noListCodes: ReadonlySet<string> = new Set([
  'upstream_model_list',
  'upstream_redirect',
  'upstream_status',
]);

/** The address that answered, and the ids of its models. */
export interface TriedUpstream {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Less than a window waits for the answer, in milliseconds. */
const timeoutMs = 12_000;

/**
 * Requests the ids of an upstream's models, and keeps nothing of them. Where an address lists none, the others are
 * tried in turn, because users enter addresses with and without the version of their paths. An empty list counts
 * where no other address has models.
 *
 * @param entry as a configuration would write it
 * @param otherUrls other addresses at the origin of its `baseUrl`; the key is sent to no other origin
 * @throws {ConfigError} with the problem of the first address, without the key
 */
export async function tryUpstream(
  entry: unknown,
  key: string | undefined,
  otherUrls: readonly string[] = [],
): Promise<TriedUpstream> {
  const config = checkedUpstream(entry);
  if ('keyCommand' in config)
    throw new ConfigError(
      'A command for its key counts once the configuration names it and the gateway starts.',
    );
  const signal = AbortSignal.timeout(timeoutMs);
  const { origin } = new URL(config.baseUrl);
  const others = otherUrls.filter((url) => URL.canParse(url) && new URL(url).origin === origin);
  const first = await listAt(config, key, signal).catch((error: unknown) => ({ error }));
  const tryOthers = 'error' in first ? hasNoList(first.error) : first.models.length === 0;
  for (const baseUrl of tryOthers ? others : []) {
    const tried = await listAt({ ...config, baseUrl }, key, signal).catch(() => undefined);
    if (tried && ('error' in first || tried.models.length > 0)) return tried;
  }
  if (!('error' in first)) return first;
  const problem = first.error instanceof HttpError ? first.error.message : 'Its models could not be listed.';
  throw new ConfigError(key ? redact(problem, [key]) : problem);
}

/** Whether the upstream answered, but not with a list of models. */
function hasNoList(error: unknown): boolean {
  return error instanceof HttpError && noListCodes.has(error.code);
}

async function listAt(
  config: UpstreamConfig,
  key: string | undefined,
  signal: AbortSignal,
): Promise<TriedUpstream> {
  const opened = openUpstream(config, () => key);
  try {
    const models = await opened.listModels(signal);
    return { baseUrl: config.baseUrl, models: models.map(({ id }) => id) };
  } finally {
    await opened.close();
  }
}

/**
 * An upstream as a configuration would write it.
 *
 * @throws {ConfigError}
 */
export function checkedUpstream(entry: unknown): UpstreamConfig {
  const result = upstream.safeParse(entry);
  if (result.success) return result.data;
  const [problem] = schemaProblems(result.error, entry);
  throw new ConfigError(problem ? `${pathText(problem.at)}: ${problem.problem}` : 'It is no upstream.');
}
