import * as z from 'zod';
import { quoteName } from '../../base/hiddenCharacters.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { splitModelId } from '../models/modelTable.ts';
import { configName, findNearestName, refuseDuplicates } from '../upstreams/configNames.ts';
import { upstreamKinds } from '../upstreams/kinds/upstreamKinds.ts';
import {
  checkUpstreamConfig,
  demoName,
  explainSecret,
  type UpstreamConfig,
  upstreamFields,
} from '../upstreams/upstreamConfig.ts';
import type { UpstreamKind } from '../upstreams/upstreamKind.ts';
import { spendingLimit } from './spendingLimits.ts';

/** The configuration is invalid. The message names the file, each invalid path and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const count = z.number().int().min(1);

const limitList = z.array(spendingLimit).min(1);

/** A credential for other programs. The configuration has only its hash. */
const namedCredential = z.strictObject({
  name: configName.describe('Short name of the program that uses the credential. It is shown in the log.'),
  sha256: z
    .string()
    .regex(
      /^[0-9a-fA-F]{64}$/,
      'expected a SHA-256 hash as 64 hexadecimal digits, made by --make-credential NAME',
    )
    .toLowerCase()
    .describe(
      'SHA-256 hash of the credential, in hexadecimal. The option --make-credential generates a credential and its hash.',
    ),
  models: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('IDs of the models that the credential can use; * matches any text. Default: all models.'),
  requestsPerMinute: count
    .optional()
    .describe('Maximum number of requests with a body in any 60 seconds. Default: no limit.'),
  concurrentRequests: count
    .optional()
    .describe('Maximum number of concurrent requests with a body. Default: no limit.'),
  limits: limitList.optional().describe('Limits of costs and tokens of this credential. Default: no limit.'),
  expires: z
    .string()
    .refine(
      (text) => parseCredentialEnd(text) !== undefined,
      'expected a date, such as 2027-01-31, or a time with a time zone, such as 2027-01-31T18:00:00Z',
    )
    .optional()
    .describe(
      'Last day (in UTC) or end of the credential, such as 2027-01-31 or 2027-01-31T18:00:00Z. Requests are refused afterwards. Default: it does not expire.',
    ),
});

export type NamedCredential = z.infer<typeof namedCredential>;

/** A name for one or several models. */
const alias = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/,
        'expected 1 to 128 letters, digits and . _ : @ / -, beginning with a letter or a digit',
      )
      .describe('Model ID that callers use. It takes precedence over the same ID of any upstream.'),
    models: z
      .array(z.string().min(1))
      .min(1)
      .max(50)
      .describe(
        'Models to which requests are sent, each as name/id with the name of an upstream of this file.',
      ),
    strategy: z
      .enum(['fallback', 'round-robin', 'weighted'])
      .optional()
      .describe(
        'Which model is tried first: always the first one (fallback), each in turn (round-robin), or each in proportion to its weight (weighted). The next model is tried if nothing was sent, or after 429, but never for a request that creates a task. Default: fallback.',
      ),
    weights: z
      .record(z.string(), z.number().int().min(1).max(1_000))
      .optional()
      .describe('Relative weight of each model, by name/id. Default: 1.'),
    nextOnServerError: z
      .boolean()
      .optional()
      .describe(
        'Whether the next model is tried if an upstream responds with 5xx or closes the connection before its reply. Both requests may be billed. Default: false.',
      ),
    nextAfterSeconds: z
      .number()
      .min(0.1)
      .max(600)
      .optional()
      .describe(
        'Maximum time to the first byte of a reply, in seconds. After this time, the request is aborted and the next model is tried. Both requests may be billed. Default: no limit.',
      ),
  })
  .superRefine(({ models, strategy, weights }, context) => {
    models.forEach((model, i) => {
      if (models.indexOf(model) < i)
        context.addIssue({
          code: 'custom',
          path: ['models', i],
          message: 'this model is already in the list',
        });
    });
    if (!weights) return;
    if (strategy !== 'weighted')
      context.addIssue({
        code: 'custom',
        path: ['weights'],
        message: 'weights are allowed only with the strategy "weighted"',
      });
    for (const model of Object.keys(weights)) {
      if (models.includes(model)) continue;
      const message = `the alias does not have this model${suggestName(model, models)}`;
      context.addIssue({ code: 'custom', path: ['weights', model], message });
    }
  });

type AliasConfig = z.infer<typeof alias>;

/**
 * Refuses aliases whose models do not name an upstream, and aliases whose names would be IDs of an upstream's
 * models.
 */
function checkAliases(
  {
    aliases = [],
    upstreams,
  }: {
    readonly aliases?: readonly AliasConfig[] | undefined;
    readonly upstreams: readonly { name: string }[];
  },
  context: z.RefinementCtx,
): void {
  const names = [demoName, ...upstreams.map(({ name }) => name)];
  aliases.forEach(({ name, models }, i) => {
    const [prefix] = splitModelId(name);
    if (names.includes(prefix))
      context.addIssue({
        code: 'custom',
        path: ['aliases', i, 'name'],
        message: `ids that begin with "${prefix}/" belong to the upstream with that name`,
      });
    models.forEach((model, j) => {
      const [upstream, id] = splitModelId(model);
      if (names.includes(upstream) && id !== '') return;
      const message =
        upstream === ''
          ? 'expected name/id, with the name of an upstream before the id'
          : `there is no upstream ${quoteName(upstream)}${suggestName(upstream, names)}`;
      context.addIssue({ code: 'custom', path: ['aliases', i, 'models', j], message });
    });
  });
}

/** Creates a question about the most similar name, to append to a message; empty if no name is similar. */
function suggestName(input: string, names: readonly string[]): string {
  const nearest = findNearestName(input, names);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

function createUpstreamSchema({ fields }: UpstreamKind) {
  const kind = z.enum(upstreamKinds.map((each) => each.kind)).describe('Kind of API of the upstream.');
  return z.strictObject({ ...upstreamFields.shape, ...fields, kind }, { error: explainSecret });
}

/**
 * One upstream, checked by the fields of its kind; by the fields of the first kind if its kind is missing or
 * unknown.
 */
export const upstream = z.unknown().transform((value, context): UpstreamConfig => {
  const upstreamKind = isObject(value) ? upstreamKinds.find(({ kind }) => kind === value.kind) : undefined;
  const schema = createUpstreamSchema(upstreamKind ?? upstreamKinds[0]).superRefine(checkUpstreamConfig);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: undefined });
  return z.NEVER;
});

/** The configuration file. */
export const gatewayConfig = z
  .strictObject({
    $schema: z.string().optional().describe('Location of the JSON schema of this file, for editors.'),
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe(
        'Port of 127.0.0.1 to listen on. Default: a free port, which is chosen at the first start and then reused.',
      ),
    upstreams: z
      .array(upstream)
      .superRefine(refuseDuplicates({ name: 'this name is already taken by another upstream' }))
      .describe('Providers and model servers whose models the gateway serves.'),
    aliases: z
      .array(alias)
      .superRefine(refuseDuplicates({ name: 'this name is already taken by another alias' }))
      .optional()
      .describe('Additional model IDs, each for one model or several.'),
    credentials: z
      .array(namedCredential)
      .superRefine(
        refuseDuplicates({
          name: 'this name is already taken by another credential',
          sha256: 'another name has the same credential',
        }),
      )
      .optional()
      .describe(
        "Credentials for other programs on this machine, in addition to the user's own, which can use all models.",
      ),
    limits: limitList
      .optional()
      .describe('Limits of costs and tokens of all credentials together. Default: no limit.'),
  })
  .superRefine(checkAliases);

export type GatewayConfig = z.infer<typeof gatewayConfig>;

/** Creates the JSON schema of the configuration file. Editors use it to complete and check the file. */
export function createConfigJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(gatewayConfig, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (Object.is(zodSchema, upstream))
        Object.assign(jsonSchema, { anyOf: upstreamKinds.map(createKindJsonSchema) });
    },
  });
  return {
    ...schema,
    title: 'Configuration of the local model gateway',
    // These two members are for the editor of VS Code. The gateway accepts comments and trailing commas.
    allowComments: true,
    allowTrailingCommas: true,
  };
}

function createKindJsonSchema(kind: (typeof upstreamKinds)[number]): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(createUpstreamSchema(kind), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  const { kind: kindProperty } = schema.properties ?? {};
  const { enum: names, ...rest } = isObject(kindProperty) ? kindProperty : {};
  return { ...schema, properties: { ...schema.properties, kind: { ...rest, const: kind.kind } } };
}

/** Lists the members that the object at a path of the file may have. */
export function listAllowedMembers(
  path: readonly PropertyKey[],
  value: unknown,
  schema: JsonObject = createConfigJsonSchema(),
): readonly string[] {
  const [step, ...rest] = path;
  const matching = selectAlternatives(schema, value);
  if (step === undefined) return matching.flatMap(({ properties }) => Object.keys(properties ?? {}));
  const member = isObject(value) || Array.isArray(value) ? Reflect.get(value, step) : undefined;
  return matching.flatMap(({ properties, items, additionalProperties }) => {
    const inner =
      typeof step === 'number'
        ? items
        : (isObject(properties) && properties[String(step)]) || additionalProperties;
    return isObject(inner) ? listAllowedMembers(rest, member, inner) : [];
  });
}

/** Selects the alternatives for the kind of the value; all alternatives if it has no valid kind. */
function selectAlternatives(schema: JsonObject, value: unknown): readonly JsonObject[] {
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [];
  if (alternatives.length === 0) return [schema];
  const matching = alternatives.filter(
    ({ properties }) =>
      isObject(value) &&
      isObject(properties) &&
      isObject(properties.kind) &&
      properties.kind.const === value.kind,
  );
  return matching.length > 0 ? matching : alternatives;
}

/**
 * Parses the time at which a credential expires, in milliseconds since 1970. A date without a time means the end of
 * that day in UTC.
 *
 * @returns undefined for a text that is neither a date nor a time with a time zone
 */
export function parseCredentialEnd(expires: string): number | undefined {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(expires);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.test(expires))
    return undefined;
  // Date.parse accepts 30 February and returns a day in March.
  const [date = ''] = expires.split('T');
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const end = isDate ? midnight + 24 * 60 * 60_000 : Date.parse(expires);
  return isRealDay && !Number.isNaN(end) ? end : undefined;
}
