import * as z from 'zod';
import { isFullyVisible, quoteName } from '../../base/hiddenCharacters.ts';
import { isLoopback } from '../../base/loopback.ts';
import { isPrivateAddress, readLiteralAddress } from '../../http/privateAddress.ts';
import { isTokenPrice } from '../../wire/apis/models/tokenPrice.ts';
import { thinkTagForms } from '../../wire/stream/thinkTags.ts';
import { configName, refuseDuplicates } from './configNames.ts';

/** The name of the upstream of the demo models. No configured upstream may have it. */
export const demoName = 'demo';

/**
 * The maximum length of an address. It is short, because the user reads the whole address before consenting to it.
 */
const maxAddressLength = 1_000;
const maxVariableLength = 200;
const maxHeaders = 20;
const maxHeaderLength = 1_000;

const noKeysMessage =
  'Keys do not belong in this file: put the key in an environment variable and name that variable in keyEnv';

const baseUrl = z
  .string()
  .max(maxAddressLength)
  .refine(
    isSafeAddress,
    'expected an https address, or http on this machine (127.0.0.1, localhost, [::1]) or, with plainHttp, in a private network, without user name, query or fragment',
  )
  .describe('The address before the paths of the API.');

const headers = z
  .record(z.string(), z.string())
  .superRefine((fields, context) => {
    const entries = Object.entries(fields);
    if (entries.length > maxHeaders)
      context.addIssue({ code: 'custom', message: `expected at most ${maxHeaders} headers` });
    for (const [name, value] of entries) {
      const message = describeHeaderProblem(name.toLowerCase(), value);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe('Headers to send with every request to this upstream. They must not contain credentials.');

const maxSourceLength = 4_000;
const visibleLineMessage =
  'expected one line without hidden characters, because you see it in full before it is used';
const count = z.number().int().min(1);

const optionalPrice = z.number().min(0).optional();
const tokensPrice = z
  .number()
  .min(0)
  .refine(
    (price) => isTokenPrice(price / 1_000_000),
    'expected the price of a million tokens in US dollars, not of one token',
  )
  .optional();

const modelPrice = z.strictObject({
  models: z
    .string()
    .min(1)
    .describe('IDs of the models; * matches any text. The first matching entry is used.'),
  input: tokensPrice.describe('Price of a million tokens of input.'),
  output: tokensPrice.describe('Price of a million tokens of output.'),
  cachedInput: tokensPrice.describe('Price of a million tokens of cached input. Default: as input.'),
  cacheWrite: tokensPrice.describe(
    'Price of a million tokens written to the cache. Default: 1.25 times that of input.',
  ),
  perRequest: optionalPrice.describe('Price of each request.'),
  perSecond: optionalPrice.describe('Price of each second of a video.'),
});

const maxListedKeys = 20;

const keyFields = {
  keyEnv: z
    .string()
    .max(maxVariableLength)
    .regex(
      /^[A-Z_][A-Z0-9_]*$/,
      `expected the name of an environment variable in capitals, such as MODELS_KEY. ${noKeysMessage}`,
    )
    .optional()
    .describe('Name of the environment variable that contains the key. Omit it if no key is needed.'),
  keyCommand: z
    .string()
    .min(1)
    .max(maxSourceLength)
    .refine(isFullyVisible, visibleLineMessage)
    .optional()
    .describe(
      'Command that prints the key or token, instead of keyEnv. It runs in the system’s shell, for at most 30 seconds. Its output can be JSON with access_token and expires_in or expiry, and is used until it expires; without an expiry, for 5 minutes.',
    ),
  keyFile: z
    .string()
    .max(maxSourceLength)
    .refine(isFullyVisible, visibleLineMessage)
    .regex(/^(?:~?[\\/]|[A-Za-z]:[\\/])/, 'expected an absolute path, or one that begins with ~/')
    .optional()
    .describe(
      'File that contains the key or token, instead of keyEnv: as plain text, or as JSON with access_token and expires_in or expiry. It is read again before the token expires; without an expiry, every 10 seconds.',
    ),
} as const;

/** One of several keys. */
const listedKey = z
  .strictObject(
    {
      name: configName
        .optional()
        .describe(
          'Short name for the log and the Local Gateway view. Default: its environment variable, or a hash of its command or of the path of its file.',
        ),
      ...keyFields,
    },
    { error: explainSecret },
  )
  .superRefine((key, context) => {
    checkKeySource(key, context);
    if (listKeySources(key).length === 0)
      context.addIssue({ code: 'custom', message: 'expected keyEnv, keyCommand or keyFile' });
  });

const modelIds = z.array(z.string().min(1)).min(1);

/** The configuration fields of upstreams of all kinds. */
export const upstreamFields = z.object({
  name: configName
    .refine((name) => name !== demoName, `the name "${demoName}" is taken by the demo models`)
    .describe(
      'Short name. name/id selects any model of this upstream, even if another upstream lists the same ID first.',
    ),
  kind: z.string().describe('Kind of API of the upstream.'),
  baseUrl,
  plainHttp: z
    .literal(true)
    .optional()
    .describe(
      'Allows plain http to a private network. Anyone who can listen on that network can read the key, the questions and the replies. A connection that would leave the private network fails.',
    ),
  ...keyFields,
  keys: z
    .array(listedKey)
    .min(1)
    .max(maxListedKeys)
    .superRefine(refuseDuplicates({ name: 'this name is already taken by another key' }))
    .optional()
    .describe(
      'Several keys, instead of keyEnv, keyCommand and keyFile. The first one is used; after 401, 402, 429 or an exhausted quota, the same request is sent with the next one, and the refused key rests.',
    ),
  models: modelIds
    .optional()
    .describe('IDs of the models to list, instead of the model list of the upstream.'),
  allow: modelIds
    .optional()
    .describe('IDs of the models that are served; * matches any text. Default: all models.'),
  hide: modelIds
    .optional()
    .describe(
      'IDs of models that are neither listed nor served by their own IDs; * matches any text. Aliases can still use them.',
    ),
  concurrentRequests: count
    .optional()
    .describe(
      'Maximum number of concurrent requests to this upstream. Further requests wait. Default: no limit.',
    ),
  requestsPerMinute: count
    .optional()
    .describe(
      'Maximum number of requests to this upstream in any 60 seconds. Further requests wait. Default: no limit.',
    ),
  waitingRequests: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Maximum number of requests that wait for these limits. Further requests get 429 with Retry-After. Default: 100.',
    ),
  promptCaching: z
    .boolean()
    .optional()
    .describe(
      'Whether requests contain fields for prompt caching (cache_control, prompt_cache_key). false removes them from all requests, for servers that refuse them. true also converts them for a server that is not known to accept them, such as LiteLLM. Default: converted only for known servers.',
    ),
  headers: headers.optional(),
  thinkTags: z
    .array(
      z.strictObject({
        models: z.string().min(1).describe('IDs of the models; * matches any text.'),
        form: z
          .enum(thinkTagForms)
          .describe(
            'paired: a reply that begins with <think> is reasoning up to </think>. closing: each reply is reasoning up to </think>, even without <think>. none: tags are part of the text.',
          ),
      }),
    )
    .optional()
    .describe(
      'How models mark reasoning in the text of converted replies, as a list of models (* matches any text) and form: paired, closing (only </think> is sent) or none (tags are text). The first matching entry applies. Default: paired.',
    ),
  prices: z
    .array(modelPrice)
    .min(1)
    .optional()
    .describe(
      'Prices of models in US dollars, for spending limits and metrics. Default: the prices that the upstream lists.',
    ),
});

export type UpstreamConfig = z.infer<typeof upstreamFields>;

/**
 * Refuses an upstream with several sources of its key, or with plain http to another machine unless `plainHttp` is
 * set.
 */
export function checkUpstreamConfig(config: Partial<UpstreamConfig>, context: z.RefinementCtx): void {
  checkKeySource(config, context);
  if (config.plainHttp) return;
  for (const field of ['baseUrl', 'regionalUrl']) {
    const address = (config as Readonly<Record<string, unknown>>)[field];
    if (typeof address !== 'string' || !URL.canParse(address)) continue;
    const { protocol, hostname } = new URL(address);
    if (protocol !== 'http:' || isLoopback(hostname)) continue;
    const message =
      'expected an https address; http to a private network shows the key to anyone who can listen there, and needs "plainHttp": true';
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

type KeySourceFields = Partial<Pick<UpstreamConfig, 'keyEnv' | 'keyCommand' | 'keyFile' | 'keys'>>;

function listKeySources(config: KeySourceFields) {
  return (['keyEnv', 'keyCommand', 'keyFile', 'keys'] as const).filter(
    (field) => config[field] !== undefined,
  );
}

function checkKeySource(config: KeySourceFields, context: z.RefinementCtx): void {
  const [first, second] = listKeySources(config);
  if (first === undefined || second === undefined) return;
  context.addIssue({
    code: 'custom',
    path: [second],
    message: `there is already a ${first}; use only one of them`,
  });
}

function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(address);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && mayBePrivate(hostname));
}

/** Accepts any host name, because its addresses are checked when the connection is made. */
function mayBePrivate(hostname: string): boolean {
  const literal = readLiteralAddress(hostname);
  return isLoopback(hostname) || literal === undefined || isPrivateAddress(literal);
}

function describeHeaderProblem(name: string, value: string): string | undefined {
  if (!/^[a-z0-9-]+$/.test(name)) return 'a header name has only letters, digits and hyphens';
  if (name.length + value.length > maxHeaderLength)
    return `a header has at most ${maxHeaderLength} characters`;
  if (!/^[\x20-\x7e]*$/.test(value)) return 'a header value has only printable ASCII characters';
  if (namesSecret(name) || /^(bearer|basic) /i.test(value)) return noKeysMessage;
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

/** Returns a message for an unknown field that looks like a key; undefined for all other problems. */
export function explainSecret({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) {
  const secret = code === 'unrecognized_keys' ? keys?.find(namesSecret) : undefined;
  return secret === undefined
    ? undefined
    : `${quoteName(secret)} is not a field of an upstream. ${noKeysMessage}`;
}
