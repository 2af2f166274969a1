import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { isLoopback } from '../base/loopback.ts';
import { demoName } from './catalogue.ts';
import { schemaProblems } from './schemaProblem.ts';

const noKeysHere =
  'Keys do not belong in this file: put the key in an environment variable and name that variable in keyEnv';

const baseUrl = z
  .string()
  .refine(
    isSafeAddress,
    'expected an https address, or http on this machine (127.0.0.1, localhost, [::1]), without user name, query or fragment',
  )
  .describe('The address before /chat/completions and /models, such as https://models.example/v1.');

const headers = z
  .record(z.string(), z.string())
  .superRefine((fields, context) => {
    for (const [name, value] of Object.entries(fields)) {
      const message = headerProblem(name.toLowerCase(), value);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe('Headers sent with every request to this upstream. No credentials.');

const upstream = z.strictObject(
  {
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits and hyphens')
      .refine((name) => name !== demoName, `the name "${demoName}" is taken by the demo models`)
      .describe('Short name; the prefix of its model ids where several upstreams are configured.'),
    kind: z.literal('openai-compatible').describe('The shape it speaks.'),
    baseUrl,
    keyEnv: z
      .string()
      .regex(
        /^[A-Z_][A-Z0-9_]*$/,
        `expected the name of an environment variable in capitals, such as MODELS_KEY. ${noKeysHere}`,
      )
      .optional()
      .describe('Name of the environment variable that holds its key. Leave out where no key is needed.'),
    models: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Model ids to list, instead of asking the upstream for its list.'),
    headers: headers.optional(),
  },
  { error: explainSecret },
);

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

export type UpstreamConfig = z.infer<typeof upstream>;
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

function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(address);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function headerProblem(name: string, value: string): string | undefined {
  if (!/^[a-z0-9-]+$/.test(name)) return 'a header name has only letters, digits and hyphens';
  if (!/^[\x20-\x7e]*$/.test(value)) return 'a header value has only printable ASCII characters';
  if (namesSecret(name) || /^(bearer|basic) /i.test(value)) return noKeysHere;
  return connectionHeaders.has(name) ? 'this header is set by the gateway' : undefined;
}

const connectionHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
]);

function namesSecret(name: string): boolean {
  return /key|token|secret|password|credential|auth|cookie/i.test(name);
}

/** Explains a field that looks like a key. The schema's own message explains all other problems. */
function explainSecret({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) {
  const secret = code === 'unrecognized_keys' ? keys?.find(namesSecret) : undefined;
  return secret === undefined ? undefined : `"${secret}" is no field of an upstream. ${noKeysHere}`;
}
