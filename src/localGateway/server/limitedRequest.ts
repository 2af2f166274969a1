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
import type { Access } from '../config/access.ts';
import { isForm, readFormParts, writeForm } from '../formBody.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import { joined, type Pieces } from '../pieces.ts';
import { providerRoutes } from '../providerRoutes.ts';
import { modelId } from '../routes/modelId.ts';
import { credentialHeaders } from './guard.ts';

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

/** A body with its type. */
export interface LimitedBody {
  readonly pieces: Pieces;
  readonly type: string;
}

/**
 * The body of a request whose credential is limited to some models, written anew: each member once, and none that
 * may lead an upstream to another model.
 *
 * @throws {HttpError} 400 for a body that has more than one meaning, 403 for a member that is not known
 */
export function limitedBody(
  pieces: Pieces,
  type: string | undefined,
  { route, access, model }: { readonly route: Route; readonly access: Access; readonly model?: string },
): LimitedBody {
  const body = byRoute[route.name] ?? byGroup[route.group] ?? { members: new Set() };
  if (isForm(type)) return limitedForm(joined(pieces), type ?? '', body);
  const value = parsed(joined(pieces));
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (body.members.has(name)) kept[name] = member;
    // A null asks for nothing.
    else if (member !== null) throw notKnown(name);
  }
  checkModel(kept, model);
  new ModelNames(access, kept.model ?? model).check(kept);
  return { pieces: [Buffer.from(JSON.stringify(kept))], type: 'application/json' };
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
  return { pieces: [form.bytes], type: form.type };
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
  if (typeof named !== 'string' || modelId(named) !== modelId(inPath)) throw notAllowed('model', named);
}

/** A member whose name has one of these words may lead an upstream to another model. */
const leadsElsewhere =
  /model|fallback|engine|deployment|rout(?:e|ing)|provideroption|gatewayoption|extrabody|preset|agent/;

/** Members whose values upstreams hand to models or tools, whatever is in them. */
const dataMembers: ReadonlySet<string> = new Set([
  ...['input_schema', 'inputSchema', 'json_schema', 'schema', 'args'],
  ...['parametersJsonSchema', 'parameters_json_schema', 'responseSchema', 'response_schema'],
  ...['responseJsonSchema', 'response_json_schema'],
]);

/** Finds models that a body names in other places than its member `model`. */
class ModelNames {
  readonly #access: Access;
  readonly #model: unknown;

  constructor(access: Access, model: unknown) {
    this.#access = access;
    this.#model = model;
  }

  /** @throws {HttpError} 403 for one that the credential may not use */
  check({ model: _, models, fallbacks, extra_body: extra, ...members }: JsonObject): void {
    // The route checks these, which knows the upstream.
    checkFurtherForm('models', models);
    checkFurtherForm('fallbacks', fallbacks);
    this.#walk([members, extra]);
  }

  #walk(value: unknown): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#walk(each);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (isData(name, value)) continue;
        if (leadsElsewhere.test(folded(name))) this.#checkNames(name, member);
        else this.#walk(member);
      }
    }
  }

  #checkNames(name: string, value: unknown): void {
    if (typeof value === 'string') {
      const isOwn = typeof this.#model === 'string' && modelId(value) === modelId(this.#model);
      if (!isOwn && !this.#access.allows(value)) throw notAllowed(name, value);
    } else if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) this.#checkNames(name, each);
      // Some name models by the names of members.
      if (!Array.isArray(value)) for (const each of Object.keys(value)) this.#checkKey(name, each);
    }
  }

  #checkKey(name: string, key: string): void {
    if (!/^[a-z_]+$/i.test(key) && !this.#access.allows(key)) throw notAllowed(name, key);
  }
}

/** Ids, or objects with nothing but an id: some providers take other settings for each of them. */
function checkFurtherForm(name: string, value: unknown): void {
  for (const each of [value ?? []].flat()) {
    const isId = typeof each === 'string' || (isObject(each) && Object.keys(each).join() === 'model');
    if (!isId) throw notAllowed(name, each);
  }
}

function folded(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

function isData(name: string, holder: JsonObject): boolean {
  if (dataMembers.has(name)) return true;
  const { type } = holder;
  const isNamed = typeof holder.name === 'string';
  if (name === 'parameters') return isNamed && (type === undefined || type === 'function');
  if (name === 'response') return isNamed && type === undefined;
  const isCall = typeof type === 'string' && /_(?:use|call|result|output)$/.test(type);
  return isCall && ['input', 'arguments', 'result', 'output', 'content'].includes(name);
}

function notKnown(name: string): HttpError {
  return refusal(
    name,
    'field_not_allowed',
    `"${name.slice(0, 100)}" is not passed on: this credential may use some models only, and this field might choose another one. Leave it out.`,
  );
}

function notAllowed(name: string, value: unknown): HttpError {
  const named = typeof value === 'string' ? ` "${value.slice(0, 100)}"` : '';
  return refusal(
    name,
    'model_not_allowed',
    `${name.slice(0, 100)}: this credential may not use the model${named}. GET /v1/models lists those that it may use.`,
  );
}

function refusal(param: string, code: string, message: string): HttpError {
  const type = 'invalid_request_error';
  return new HttpError({ status: 403, message, type, param: param.slice(0, 100), code, neverSent: true });
}
