import { redact } from '../../wire/secrets/redact.ts';
import { ConfigError } from '../config/configError.ts';
import { upstream } from '../config/configSchema.ts';
import { HttpError } from '../httpError.ts';
import { pathText, schemaProblems } from '../schemaProblem.ts';
import type { UpstreamConfig } from '../upstreams/upstreamFields.ts';
import { openUpstream } from '../upstreams/upstreamKinds.ts';

/** Less than a window waits for the answer, in milliseconds. */
const timeoutMs = 12_000;

/**
 * Asks an upstream for the ids of its models, once, and keeps nothing of it.
 *
 * @param entry as a configuration would write it
 * @throws {ConfigError} with what is wrong, without the key
 */
export async function tryUpstream(entry: unknown, key: string | undefined): Promise<readonly string[]> {
  const opened = openUpstream(checked(entry), () => key);
  try {
    const models = await opened.listModels(AbortSignal.timeout(timeoutMs));
    return models.map(({ id }) => id);
  } catch (error) {
    const problem = error instanceof HttpError ? error.message : 'Its models could not be listed.';
    throw new ConfigError(key ? redact(problem, [key]) : problem);
  } finally {
    await opened.close();
  }
}

function checked(entry: unknown): UpstreamConfig {
  const result = upstream.safeParse(entry);
  if (!result.success) {
    const [problem] = schemaProblems(result.error, entry);
    throw new ConfigError(problem ? `${pathText(problem.at)}: ${problem.problem}` : 'It is no upstream.');
  }
  if (!('keyCommand' in result.data)) return result.data;
  throw new ConfigError(
    'A command for its key counts once the configuration names it and the gateway starts.',
  );
}
