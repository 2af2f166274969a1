import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, nonEmptyString, parseForWriting } from '../../base/json.ts';
import { chatCompletionsRequest } from '../../wire/apis/chatCompletions/schema.ts';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/schema.ts';
import { interactionsRequest } from '../../wire/apis/interactions/schema.ts';
import { messagesRequest } from '../../wire/apis/messages/schema.ts';
import { responsesRequest } from '../../wire/apis/responses/schema.ts';
import { videoTaskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { headerPresets } from '../../wire/headerNames.ts';
import type { Route } from '../../wire/routes.ts';
import { isForm, readFormParts, writeMultipartForm } from '../http/formBody.ts';
import { HttpError, invalidRequestError } from '../http/httpError.ts';
import { normalizeModelId } from '../http/requestBody.ts';
import { type BodyPieces, joinPieces } from '../json/bodyPieces.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import { type FurtherModel, findFurtherModels, modelRefusedError } from './furtherModels.ts';
import { providerRoutes } from './servedRoutes.ts';

// A credential may be limited to some models. There are many ways to select another model at an upstream, so a
// request with such a credential is rewritten from members that are known not to select a model.

/** The headers that are passed on or that this gateway itself reads. */
const allowedHeaders: ReadonlySet<string> = new Set([
  ...credentialHeaders,
  ...Object.values(headerPresets).flatMap((names) => Object.values(names)),
  'host',
  'connection',
  'expect',
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'idempotency-key',
  'range',
  'if-range',
  'if-none-match',
  'if-modified-since',
  'last-event-id',
  'openai-beta',
  'x-app',
  'x-goog-api-client',
  'traceparent',
  'tracestate',
  ...['lang', 'package-version', 'os', 'arch', 'runtime', 'runtime-version', 'retry-count', 'timeout'].map(
    (name) => `x-stainless-${name}`,
  ),
]);

/** Removes unknown headers from a request whose credential is limited to some models. */
export function limitHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => allowedHeaders.has(name)));
}

const allowedParameters: ReadonlySet<string> = new Set([
  'alt',
  'beta',
  'api-version',
  'include',
  'include[]',
  'include_input',
  'last_event_id',
  'limit',
  'order',
  'after',
  'before',
  'cursor',
  'status',
  'index',
  'variant',
  'stream',
  'starting_after',
  'include_obfuscation',
  'pageSize',
  'pageToken',
  'after_id',
  'before_id',
]);

/** Removes unknown parameters from the query of a request whose credential is limited to some models. */
export function limitQuery(query: string): string {
  const parameters = [...new URLSearchParams(query)].filter(
    // Some servers read a semicolon as the end of a parameter, and some decode twice.
    ([name, value]) => allowedParameters.has(name) && /^[\w.,:=+/-]*$/.test(value),
  );
  return new URLSearchParams(parameters).toString();
}

/** The members that the body of a route may have. */
interface AllowedBody {
  readonly members: ReadonlySet<string>;
  /** The members that are files in a form. */
  readonly files?: ReadonlySet<string>;
}

const noBody: AllowedBody = { members: new Set() };

function createAllowedBody(schema: { readonly shape: object }, ...more: readonly string[]): AllowedBody {
  return { members: new Set([...Object.keys(schema.shape), ...more]) };
}

/** Adds the members in snake case, which protocol buffers accept in JSON. */
function addSnakeCase({ members }: AllowedBody): AllowedBody {
  const snake = [...members].map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return { members: new Set([...members, ...snake]) };
}

function removeMembers({ members }: AllowedBody, ...names: readonly string[]): AllowedBody {
  return { members: new Set([...members].filter((name) => !names.includes(name))) };
}

const chat = createAllowedBody(
  chatCompletionsRequest,
  'models',
  'fallbacks',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'verbosity',
  'top_k',
  'min_p',
  'top_a',
  'typical_p',
  'repetition_penalty',
  'min_tokens',
  'ignore_eos',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'cache_control',
  'include_reasoning',
  'usage',
  'chat_template_kwargs',
);

const messages = createAllowedBody(
  messagesRequest,
  'models',
  'fallbacks',
  'service_tier',
  'context_management',
  'mcp_servers',
  'container',
  'speed',
  'anthropic_version',
  'vendor_version',
  'cache_control',
  'output_format',
  'inference_geo',
);

/** Without `prompt`, because a stored prompt may name its own model. */
const responses = removeMembers(
  createAllowedBody(
    responsesRequest,
    'models',
    'fallbacks',
    'max_tool_calls',
    'safety_identifier',
    'stream_options',
    'top_logprobs',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'context_management',
    'client_metadata',
  ),
  'prompt',
);

const generation = addSnakeCase(
  createAllowedBody(contentGenerationRequest, 'model', 'labels', 'serviceTier', 'store'),
);

const interactions = removeMembers(
  createAllowedBody(interactionsRequest, 'response_modalities', 'response_mime_type', 'cached_content'),
  'agent',
);

const videos: AllowedBody = {
  members: new Set([
    'model',
    'prompt',
    'negative_prompt',
    'seconds',
    'size',
    'quality',
    'n',
    'seed',
    'fps',
    'aspect_ratio',
    'resolution',
    'input_reference',
    'image',
    'image_url',
    'user',
  ]),
  files: new Set(['input_reference', 'image']),
};

/** The allowed bodies by the group of the route, which is its API format. */
const bodyByGroup: Readonly<Record<string, AllowedBody>> = {
  chatCompletions: chat,
  messages,
  responses,
  contentGeneration: generation,
  interactions,
  ...Object.fromEntries(
    Object.entries(videoTaskRecordFormats).map(([id, { schema }]) => [id, createAllowedBody(schema)]),
  ),
  videos,
};

/** The allowed bodies of routes that differ from the other routes of their format. */
const bodyByRoute: Readonly<Record<string, AllowedBody>> = {
  [providerRoutes.countGenerationTokens.name]: {
    members: new Set([...generation.members, 'generateContentRequest', 'generate_content_request']),
  },
  [providerRoutes.remixVideo.name]: { members: new Set(['prompt', 'seconds', 'size']) },
};

/** The only allowed members within `extra_body` of one provider's chat completions. */
const extraMembers: ReadonlySet<string> = new Set([
  'thinking_config',
  'thought_tag_marker',
  'cached_content',
  'safety_settings',
]);

/** A rewritten body. */
interface LimitedBody {
  readonly pieces: BodyPieces;
  readonly type: string;
  /** The models that it names outside its member `model`. The credential must also allow them. */
  readonly furtherModels: readonly FurtherModel[];
}

/**
 * Rewrites the body of a request whose credential is limited to some models. Each member occurs once, and none may
 * select another model at an upstream.
 *
 * @param model the model in the path, if the format has it there
 * @throws {HttpError} 400 for an ambiguous body, 403 for an unknown member
 */
export function limitBody(
  pieces: BodyPieces,
  type: string | undefined,
  { route, model: pathModel }: { readonly route: Route; readonly model?: string },
): LimitedBody {
  const body = bodyByRoute[route.name] ?? bodyByGroup[route.group] ?? noBody;
  if (isForm(type)) return limitForm(joinPieces(pieces), type ?? '', body);
  const members = requireAllowedMembers(parseBody(joinPieces(pieces)), body.members);
  const text = JSON.stringify(members);
  checkModel(members, pathModel);
  const { model: _, extra_body: extra, ...others } = members;
  return {
    pieces: [Buffer.from(text)],
    type: 'application/json',
    furtherModels: findFurtherModels({
      ...mergeNestedRequest(others, pathModel),
      google: checkExtraBody(extra),
    }),
  };
}

function requireAllowedMembers(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (names.has(name)) members[name] = member;
    // A null has no effect.
    else if (member !== null) throw fieldNotAllowedError(name);
  }
  return members;
}

/** Merges the members of a nested request, as in bodies whose tokens are counted, into the others. */
function mergeNestedRequest(
  { generateContentRequest: camel, generate_content_request: snake, ...others }: JsonObject,
  pathModel: string | undefined,
): JsonObject {
  const nestedEntries = [camel, snake].filter(isObject).map((each) => {
    const { model, ...request } = requireAllowedMembers(each, generation.members);
    checkModel({ model }, pathModel);
    return Object.entries(request);
  });
  return Object.fromEntries([...Object.entries(others), ...nestedEntries.flat()]);
}

function checkExtraBody(extra: unknown): unknown {
  const { google, ...others } = isObject(extra) ? extra : {};
  requireAllowedMembers(others, new Set());
  return isObject(google) ? requireAllowedMembers(google, extraMembers) : undefined;
}

function limitForm(bytes: Buffer, type: string, { members, files }: AllowedBody): LimitedBody {
  const parts = readFormParts(bytes, type);
  for (const { name, file } of parts)
    if (!members.has(name) || (file && !files?.has(name))) throw fieldNotAllowedError(name);
  const form = writeMultipartForm(parts);
  return { pieces: [form.bytes], type: form.type, furtherModels: [] };
}

/** Deeper bodies are refused, because they cannot be serialized again. */
const maxDepth = 500;

function parseBody(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseForWriting(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  if (isObject(value) && measureDepth(value) <= maxDepth) return value;
  throw invalidRequestError('The body: expected a JSON object in UTF-8.', 'invalid_json');
}

/** Measures the depth without recursion, because a body may contain millions of brackets. */
function measureDepth(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  for (; level.length > 0 && depth <= maxDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return depth;
}

/** Refuses a model in the body that differs from the model in the path. */
function checkModel({ model: named }: JsonObject, pathModel: string | undefined): void {
  if (pathModel === undefined || named === undefined) return;
  if (typeof named !== 'string' || normalizeModelId(named) !== normalizeModelId(pathModel))
    throw modelRefusedError('model', nonEmptyString(named));
}

function fieldNotAllowedError(name: string): HttpError {
  return new HttpError({
    status: 403,
    message: `"${name.slice(0, 100)}" is not passed on: this credential may use only some models, and this field could select another one. Leave it out.`,
    type: 'invalid_request_error',
    param: name.slice(0, 100),
    code: 'field_not_allowed',
    neverSent: true,
  });
}
