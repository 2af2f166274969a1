import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseForWriting } from '../../base/json.ts';
import { chatCompletionsRequest } from '../../wire/apis/chatCompletions/request.ts';
import { contentGenerationRequest } from '../../wire/apis/contentGeneration/request.ts';
import { interactionsRequest } from '../../wire/apis/interactions/request.ts';
import { messagesRequest } from '../../wire/apis/messages/request.ts';
import { responsesRequest } from '../../wire/apis/responses/request.ts';
import { videoSynthesisRequest } from '../../wire/apis/videoSynthesis/request.ts';
import { headerPresets } from '../../wire/headerNames.ts';
import type { Route } from '../../wire/routes.ts';
import { isForm, readFormParts, writeForm } from '../http/formBody.ts';
import { HttpError, invalidRequest } from '../http/httpError.ts';
import { modelId } from '../http/requestBody.ts';
import { joined, type Pieces } from '../json/pieces.ts';
import { credentialHeaders } from '../upstreams/forwardedHeaders.ts';
import { type FurtherModel, furtherModels, modelRefused } from './furtherModels.ts';
import { providerRoutes } from './providerRoutes.ts';

// A credential may be limited to some models. An upstream can be told of other models in many ways, so that a
// request with such a credential is written anew from what is known not to choose a model.

/** Headers that pass on, and those that this gateway reads itself. */
const knownHeaders: ReadonlySet<string> = new Set([
  ...credentialHeaders,
  ...Object.values(headerPresets).flatMap((names) => Object.values(names)),
  ...['host', 'connection', 'expect', 'content-type', 'content-length', 'transfer-encoding'],
  ...['accept', 'accept-encoding', 'accept-language', 'user-agent', 'idempotency-key'],
  ...['range', 'if-range', 'if-none-match', 'if-modified-since', 'last-event-id'],
  ...['openai-beta', 'x-app', 'x-goog-api-client', 'traceparent', 'tracestate'],
  ...['lang', 'package-version', 'os', 'arch', 'runtime', 'runtime-version', 'retry-count', 'timeout'].map(
    (name) => `x-stainless-${name}`,
  ),
]);

/** The headers of a request whose credential is limited to some models. */
export function limitedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => knownHeaders.has(name)));
}

const knownParameters: ReadonlySet<string> = new Set([
  ...['alt', 'beta', 'api-version', 'include', 'include[]', 'include_input', 'last_event_id'],
  ...['limit', 'order', 'after', 'before', 'cursor', 'status', 'index', 'variant'],
  ...['stream', 'starting_after', 'include_obfuscation', 'pageSize', 'pageToken', 'after_id', 'before_id'],
]);

/** The query of a request whose credential is limited to some models. */
export function limitedQuery(query: string): string {
  const known = [...new URLSearchParams(query)].filter(
    // Some servers take a semicolon for the end of a parameter, and some decode twice.
    ([name, value]) => knownParameters.has(name) && /^[\w.,:=+/-]*$/.test(value),
  );
  return new URLSearchParams(known).toString();
}

/** What the body of a route may hold. */
interface KnownBody {
  readonly members: ReadonlySet<string>;
  /** The members that are files in a form. */
  readonly files?: ReadonlySet<string>;
}

const noBody: KnownBody = { members: new Set() };

function known(schema: { readonly shape: object }, ...more: readonly string[]): KnownBody {
  return { members: new Set([...Object.keys(schema.shape), ...more]) };
}

/** The names that protocol buffers have in JSON besides those in camel case. */
function inBothCases({ members }: KnownBody): KnownBody {
  const snake = [...members].map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return { members: new Set([...members, ...snake]) };
}

function without({ members }: KnownBody, ...names: readonly string[]): KnownBody {
  return { members: new Set([...members].filter((name) => !names.includes(name))) };
}

const chat = known(
  chatCompletionsRequest,
  ...['models', 'fallbacks', 'reasoning', 'thinking', 'enable_thinking', 'thinking_budget', 'verbosity'],
  ...['top_k', 'min_p', 'top_a', 'typical_p', 'repetition_penalty', 'min_tokens', 'ignore_eos'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'include_reasoning', 'usage', 'chat_template_kwargs'],
);

const messages = known(
  messagesRequest,
  ...['models', 'fallbacks', 'service_tier', 'context_management', 'mcp_servers', 'container', 'speed'],
  ...['anthropic_version', 'vendor_version', 'cache_control', 'output_format', 'inference_geo'],
);

/** A stored prompt may name a model of its own. */
const responses = without(
  known(
    responsesRequest,
    ...['models', 'fallbacks', 'max_tool_calls', 'safety_identifier', 'stream_options', 'top_logprobs'],
    ...['prompt_cache_key', 'prompt_cache_retention', 'context_management', 'client_metadata'],
  ),
  'prompt',
);

const generation = inBothCases(known(contentGenerationRequest, 'model', 'labels', 'serviceTier', 'store'));

const interactions = without(
  known(interactionsRequest, 'response_modalities', 'response_mime_type', 'cached_content'),
  'agent',
);

const videos: KnownBody = {
  members: new Set([
    ...['model', 'prompt', 'negative_prompt', 'seconds', 'size', 'quality', 'n', 'seed', 'fps'],
    ...['aspect_ratio', 'resolution', 'input_reference', 'image', 'image_url', 'user'],
  ]),
  files: new Set(['input_reference', 'image']),
};

/** By the group of the route, which is its API format. */
const byGroup: Readonly<Record<string, KnownBody>> = {
  chatCompletions: chat,
  messages,
  responses,
  contentGeneration: generation,
  interactions,
  videoSynthesis: known(videoSynthesisRequest),
  videos,
};

/** Routes whose bodies differ from others of their format. */
const byRoute: Readonly<Record<string, KnownBody>> = {
  [providerRoutes.countGenerationTokens.name]: {
    members: new Set([...generation.members, 'generateContentRequest', 'generate_content_request']),
  },
  [providerRoutes.remixVideo.name]: { members: new Set(['prompt', 'seconds', 'size']) },
};

/** The only members that the body of one provider's chat completions has within `extra_body`. */
const extraMembers: ReadonlySet<string> = new Set([
  ...['thinking_config', 'thought_tag_marker', 'cached_content', 'safety_settings'],
]);

/** A body with its type. */
export interface LimitedBody {
  readonly pieces: Pieces;
  readonly type: string;
  /** The models that it names besides its own, which the credential has to allow as well. */
  readonly furtherModels: readonly FurtherModel[];
}

/**
 * The body of a request whose credential is limited to some models, written anew: each member once, and none that
 * may lead an upstream to another model.
 *
 * @param model in the path, where the format has it there
 * @throws {HttpError} 400 for a body that has more than one meaning, 403 for a member that is not known
 */
export function limitedBody(
  pieces: Pieces,
  type: string | undefined,
  { route, model: inPath }: { readonly route: Route; readonly model?: string },
): LimitedBody {
  const body = byRoute[route.name] ?? byGroup[route.group] ?? noBody;
  if (isForm(type)) return limitedForm(joined(pieces), type ?? '', body);
  const members = knownMembers(parsed(joined(pieces)), body.members);
  const written = JSON.stringify(members);
  checkModel(members, inPath);
  const { model: _, extra_body: extra, ...others } = members;
  return {
    pieces: [Buffer.from(written)],
    type: 'application/json',
    furtherModels: furtherModels({ ...countedMembers(others, inPath), google: extraOf(extra) }),
  };
}

function knownMembers(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  const known: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (names.has(name)) known[name] = member;
    // A null asks for nothing.
    else if (member !== null) throw notKnown(name);
  }
  return known;
}

/** The members of a body whose tokens are counted, which may hold the whole request in one. */
function countedMembers(
  { generateContentRequest: camel, generate_content_request: snake, ...others }: JsonObject,
  inPath: string | undefined,
): JsonObject {
  const whole = [camel, snake].filter(isObject).map((each) => {
    const { model, ...request } = knownMembers(each, generation.members);
    checkModel({ model }, inPath);
    return Object.entries(request);
  });
  return Object.fromEntries([...Object.entries(others), ...whole.flat()]);
}

function extraOf(extra: unknown): unknown {
  const { google, ...others } = isObject(extra) ? extra : {};
  knownMembers(others, new Set());
  return isObject(google) ? knownMembers(google, extraMembers) : undefined;
}

function limitedForm(bytes: Buffer, type: string, { members, files }: KnownBody): LimitedBody {
  const parts = readFormParts(bytes, type);
  const seen = new Set<string>();
  for (const { name, file } of parts) {
    if (!members.has(name) || (file && !files?.has(name))) throw notKnown(name);
    if (!file && seen.has(name)) throw invalidRequest(`${name}: it is there twice.`, 'invalid_form', name);
    seen.add(name);
  }
  const form = writeForm(parts);
  return { pieces: [form.bytes], type: form.type, furtherModels: [] };
}

/** More is no conversation, and cannot be written again. */
const maxDepth = 500;

function parsed(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseForWriting(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  if (isObject(value) && depthOf(value) <= maxDepth) return value;
  throw invalidRequest('The body: expected a JSON object in UTF-8.', 'invalid_json');
}

/** Counted without recursion: a body may hold millions of brackets. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  for (; level.length > 0 && depth <= maxDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return depth;
}

/** The path names the model of some formats, and a member may repeat it only. */
function checkModel({ model: named }: JsonObject, inPath: string | undefined): void {
  if (inPath === undefined || named === undefined) return;
  if (typeof named !== 'string' || modelId(named) !== modelId(inPath))
    throw modelRefused('model', String(named));
}

function notKnown(name: string): HttpError {
  return new HttpError({
    status: 403,
    message: `"${name.slice(0, 100)}" is not passed on: this credential may use some models only, and this field might choose another one. Leave it out.`,
    type: 'invalid_request_error',
    param: name.slice(0, 100),
    code: 'field_not_allowed',
    neverSent: true,
  });
}
