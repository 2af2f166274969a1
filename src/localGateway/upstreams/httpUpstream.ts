import { parseJson } from '../../base/json.ts';
import { cutBelow } from '../../base/nestedValues.ts';
import { decoded } from '../../http/contentEncoding.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { Pieces } from '../json/pieces.ts';
import {
  type Endpoint,
  pathOf,
  type TaskEndpoints,
  type TasksByFormat,
  type TextEndpoint,
  type TextEndpoints,
} from './endpoint.ts';
import { forwardedHeaders } from './forwardedHeaders.ts';
import { hiddenIn, keyFilter, withoutKey } from './hiddenKey.ts';
import type { KeySource } from './keys/keySource.ts';
import { type ModelListing, readModels } from './modelLists.ts';
import type { ReplyBody } from './replyBody.ts';
import { replyHeaders } from './replyHeaders.ts';
import { holdReply, refuseUnreadable, uncompressed } from './unreadableReply.ts';
import { cannotCount, otherFormat } from './unsupported.ts';
import type {
  ListedModel,
  ReplyFraming,
  TaskCall,
  TaskFormat,
  Upstream,
  UpstreamCall,
  UpstreamCaller,
  UpstreamReply,
  UpstreamTasks,
} from './upstream.ts';
import { upstreamConnection } from './upstreamConnection.ts';
import { noModelList, readCapped, unanswered, unlisted } from './upstreamFailure.ts';
import type { UpstreamConfig } from './upstreamFields.ts';

/** The most that all pages of a list may be together, in bytes. */
const maxModelListBytes = 8 * 1024 * 1024;

/** How deep the entries of a list may nest: one that is deeper would make the list unreadable to all who ask. */
const maxListedDepth = 100;

/** The JSON of a page. */
function listedIn(bytes: Buffer): unknown {
  return cutBelow(parseJson(bytes.toString().replace(/^\uFEFF/, '')), maxListedDepth);
}

/** What one configured upstream is over HTTP: where it takes what, and how it knows who asks. */
export interface HttpApi {
  /** The address before the paths of its endpoints. */
  readonly base: URL;
  /** All addresses to which requests go, where they say more than the base. */
  readonly places?: readonly URL[];
  /** Where requests for a model go. The first of all formats is the one that suits the model best. */
  texts(model: string): TextEndpoints;
  readonly tasks?: TasksByFormat;
  readonly models: ModelListing;
  /** The headers that carry the key. */
  credential(key: string): Readonly<Record<string, string>>;
}

/** One request to an endpoint. */
interface Asked {
  /** `whole` where absent. */
  readonly framing?: ReplyFraming;
  readonly body?: Pieces;
  /** Whether an answer without a body is one. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Creates an upstream over HTTP. Requests go to its own origins only, with the caller's headers but for those
 * of the caller's connection, and with this gateway's key. Redirects are refused, nothing is sent twice, and
 * the bytes of replies stay unchanged, except for the key.
 *
 * @param env names the proxies
 */
export function httpUpstream(
  api: HttpApi,
  config: UpstreamConfig,
  key: KeySource,
  env: NodeJS.ProcessEnv = process.env,
): Upstream {
  const { name } = config;
  const connection = upstreamConnection(config, key, api.credential, env);
  const ownHeaders = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );

  async function ask(endpoint: Endpoint, caller: UpstreamCaller, asked: Asked): Promise<UpstreamReply> {
    const { framing = 'whole', body, mayBeEmpty = false } = asked;
    const base = endpoint.base ?? api.base;
    const {
      reply,
      key: usedKey,
      upstream,
    } = await connection.exchange({
      method: endpoint.method ?? 'POST',
      base,
      path: pathOf(endpoint, framing, caller.query),
      headers: headersFor(endpoint, caller),
      body,
      signal: caller.signal,
    });
    const refusal = refuseUnreadable(upstream, reply, mayBeEmpty);
    if (refusal) await refusal;
    const { statusCode: status, body: bytes } = reply;
    const headers = replyHeaders(reply.headers, name, usedKey);
    const answer = { status, headers, body: bytes };
    // Upstreams repeat what they were sent, and those who ask this gateway must not learn its key.
    const type = reply.headers['content-type']?.toLowerCase() ?? '';
    const filter = usedKey === undefined ? undefined : keyFilter(usedKey, { status, type });
    if (!filter) return answer;
    const plain = plainReply(answer, name);
    if (plain === answer) bytes.filterBy(filter);
    return plain === answer ? answer : { ...plain, body: hiddenIn(plain.body, filter) };
  }

  function headersFor(
    { headers, defaultHeaders = {}, withheld = [] }: Endpoint,
    { headers: callers, requestId }: Pick<UpstreamCaller, 'headers' | 'requestId'>,
  ): Readonly<Record<string, string>> {
    const passed = forwardedHeaders(callers);
    for (const each of withheld) delete passed[each];
    for (const name of Object.keys(defaultHeaders)) passed[name] ??= defaultHeaders[name] ?? '';
    passed['accept-encoding'] ??= 'identity';
    return Object.assign(passed, headers, ownHeaders, { 'x-request-id': requestId });
  }

  async function listModels(signal: AbortSignal): Promise<readonly ListedModel[]> {
    if (config.models) return config.models.map((id) => ({ id, owner: name }));
    let size = 0;
    const models = await readModels(api.models, async (path) => {
      const bytes = await page(path, maxModelListBytes - size, signal);
      size += bytes?.length ?? 0;
      return bytes && listedIn(bytes);
    });
    if (models) return models;
    throw noModelList({ name, origin: api.base.origin });
  }

  /** One page of the list; undefined when it is longer than the cap. */
  async function page(path: string, cap: number, signal: AbortSignal): Promise<Buffer | undefined> {
    const headers = { 'accept-encoding': 'identity', ...api.models.headers, ...ownHeaders };
    const { base } = api;
    const { reply, key: usedKey } = await connection.exchange({ method: 'GET', base, path, headers, signal });
    const bytes = await readCapped(reply.body, cap).catch((error: unknown) => {
      throw unanswered({ name, origin: base.origin }, error, true);
    });
    const { 'content-encoding': encoding = '' } = reply.headers;
    const plain = bytes && (await decoded(bytes, encoding, cap).catch(() => undefined));
    if (reply.statusCode !== 200)
      throw unlisted({ name, origin: base.origin }, reply.statusCode, plain, usedKey);
    return plain && usedKey !== undefined ? Buffer.from(withoutKey(plain, usedKey)) : plain;
  }

  function textEndpoint({ request, servedModel, model }: UpstreamCall): TextEndpoint {
    const endpoints = api.texts(model);
    const found = endpoints[request.format];
    if (found) return found;
    throw otherFormat(name, servedModel, formatsIn(endpoints));
  }

  function tasksAt({
    create,
    remix,
    read,
    cancel,
    remove,
    content,
    inputItems,
  }: TaskEndpoints): UpstreamTasks {
    const about = (endpoint: (task: string) => Endpoint) => (call: TaskCall) =>
      ask(endpoint(call.task), call, { mayBeEmpty: true });
    return {
      create: (call) => ask(create, call, { body: bodyFor(create, call) }),
      ...(remix && {
        remix: (call) => ask(remix(call.task), call, { body: bodyFor(remix(call.task), call) }),
      }),
      read: about(read),
      ...(cancel && { cancel: about(cancel) }),
      ...(remove && { remove: about(remove) }),
      ...(content && { content: about(content) }),
      ...(inputItems && { inputItems: about(inputItems) }),
    };
  }

  const tasks: Partial<Record<TaskFormat, UpstreamTasks>> = Object.fromEntries(
    Object.entries(api.tasks ?? {}).map(([format, endpoints]) => [format, tasksAt(endpoints)]),
  );

  return {
    name,
    formatsOf: (model) => formatsIn(api.texts(model)),
    listModels,
    tasks,
    origins: [api.base.origin],

    readResult({ origin, pathname, search }, { signal, requestId }) {
      const endpoint = { method: 'GET', base: new URL(origin), path: pathname + search } as const;
      return ask(endpoint, { headers: {}, requestId, signal }, { mayBeEmpty: true });
    },

    async send(call) {
      const { send: endpoint } = textEndpoint(call);
      const framing = framingOf(call);
      const reply = await ask(endpoint, call, { framing, body: bodyFor(endpoint, call) });
      if (framing === 'whole') await holdReply({ name, origin: api.base.origin }, reply);
      return reply;
    },

    countFormatsOf(model) {
      const endpoints = api.texts(model);
      return formatsIn(endpoints).filter((format) => endpoints[format]?.count !== undefined);
    },

    async sendCount(call) {
      const { count: endpoint } = textEndpoint(call);
      if (!endpoint) throw cannotCount(name, call.servedModel);
      return ask(endpoint, call, { body: bodyFor(endpoint, call) });
    },

    close: () => connection.close(),
    drain: () => connection.drain(),
  };
}

/** The reply in plain bytes. Its connection is closed where it is compressed in an unknown way. */
function plainReply(reply: UpstreamReply & { readonly body: ReplyBody }, upstream: string): UpstreamReply {
  try {
    return uncompressed(reply, upstream);
  } catch (error) {
    reply.body.destroy();
    throw error;
  }
}

function formatsIn(endpoints: TextEndpoints): readonly TextFormatId[] {
  return Object.keys(endpoints) as TextFormatId[];
}

/** The caller's own bytes, with the upstream's id of the model where it differs, or may be taken for another. */
function bodyFor(endpoint: Endpoint, { body, servedModel, model }: Omit<UpstreamCall, 'request'>): Pieces {
  const own = endpoint.body?.(body, model);
  if (own) return own instanceof Uint8Array ? [own] : own;
  const isSame = model === servedModel && !body.isRepeated('model');
  return isSame ? body.pieces : body.withModel(model);
}

function framingOf({ request, body }: UpstreamCall): ReplyFraming {
  return request.framing ?? (body.field('stream') === true ? 'events' : 'whole');
}
