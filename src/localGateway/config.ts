import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isObject } from '../base/json.ts';
import { schemaProblems } from './schemaProblem.ts';
import { explainSecret, type UpstreamConfig, upstreamFields } from './upstreams/upstreamFields.ts';
import { upstreamKinds } from './upstreams/upstreamKinds.ts';

/** One upstream, checked by the fields of its kind; by those of the first where it names no kind. */
const upstream = z.unknown().transform((value, context): UpstreamConfig => {
  const named = isObject(value) ? upstreamKinds.find(({ kind }) => kind === value.kind) : undefined;
  const { fields } = named ?? upstreamKinds[0];
  const kind = z.enum(upstreamKinds.map((each) => each.kind));
  const schema = z.strictObject({ ...upstreamFields.shape, ...fields, kind }, { error: explainSecret });
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  for (const issue of checked.error.issues) context.issues.push({ ...issue, input: undefined });
  return z.NEVER;
});

const gatewayConfig = z.strictObject({
  upstreams: z
    .array(upstream)
    .min(1)
    .superRefine((upstreams, context) => {
      upstreams.forEach(({ name }, i) => {
        if (upstreams.findIndex((other) => other.name === name) === i) return;
        context.addIssue({
          code: 'custom',
          path: [i, 'name'],
          message: 'this name is already taken by another upstream',
        });
      });
    })
    .describe('The places models come from.'),
});

export type GatewayConfig = z.infer<typeof gatewayConfig>;

/** The configuration is invalid. The message names the file, each wrong field and what is expected there. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads and checks a configuration file.
 *
 * @throws {ConfigError}
 */
export function readConfig(file: string): GatewayConfig {
  return parseConfig(readText(file), file);
}

/**
 * @param file the name for messages
 * @throws {ConfigError}
 */
export function parseConfig(text: string, file: string): GatewayConfig {
  const value = parseJson(text, file);
  const result = gatewayConfig.safeParse(value);
  if (result.success) return result.data;
  const problems = schemaProblems(result.error, value).map(
    ({ path, problem }) => `  ${path === '' ? 'the whole file' : path}: ${problem}`,
  );
  throw new ConfigError(`The configuration ${file} cannot be used:\n${problems.join('\n')}`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`The configuration ${file} cannot be read (${code}).`);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, which may hold a key.
    throw new ConfigError(
      `The configuration ${file} is not JSON. Check quotes, commas and brackets; comments are not allowed.`,
    );
  }
}
