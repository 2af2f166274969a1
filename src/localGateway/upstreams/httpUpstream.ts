import { parseJson } from '../../base/json.ts';
import { createModelMatcher } from '../../base/modelPattern.ts';
import { cutBelow } from '../../base/nestedValues.ts';
import { decodeBody } from '../../http/contentEncoding.ts';
import { findCacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { TaskFormat } from '../../wire/apis/taskRecordFormats.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import { readRequestBody } from '../http/requestBody.ts';
import type { BodyPieces } from '../json/bodyPieces.ts';
import { removeCacheFields } from './cacheFields.ts';
import {
  createPath,
  type Endpoint,
  type TaskEndpoints,
  type TasksByFormat,
  type TextEndpoint,
  type TextEndpoints,
} from './endpoint.ts';
import { forwardReplyHeaders, forwardRequestHeaders } from './forwardedHeaders.ts';
import { createKeysFilter, filterBody, hideKeys } from './hiddenKey/keyFilters.ts';
import type { KeyRing } from './keys/keyRing.ts';
import { type ModelListing, readModels } from './modelLists.ts';
import type { UpstreamReplyBody } from './replyBody.ts';
import { decompressReply, holdReply, refuseUnreadable } from './unreadableReply.ts';
import type {
  ConvertedVideos,
  ListedModel,
  ReplyFraming,
  TaskCall,
  Upstream,
  UpstreamCall,
  UpstreamCaller,
  UpstreamReply,
  UpstreamTaskApi,
} from './upstream.ts';
import type { UpstreamConfig } from './upstreamConfig.ts';
import { createUpstreamConnection } from './upstreamConnection.ts';
import {
  cannotCountError,
  modelListError,
  noModelListError,
  noReplyError,
  readCapped,
  unsupportedFormatError,
} from './upstreamFailure.ts';

/** The largest total size of all pages of a list, in bytes. */
const maxModelListBytes = 8 * 1024 * 1024;

/** How deep the entries of a list may nest. A deeper entry would make the list unreadable for all callers. */
const maxListedDepth = 100;

function parsePage(bytes: Buffer): unknown {
  return cutBelow(parseJson(bytes.toString().replace(/^\uFEFF/, '')), maxListedDepth);
}

/** The HTTP interface of one configured upstream: its addresses, its endpoints and its credential headers. */
export interface HttpApi {
  /** The address before the paths of its endpoints. */
  readonly base: URL;
  /** All addresses that receive requests, if the base is not the only one. */
  readonly addresses?: readonly URL[];
  /** The endpoints for a model. The format that suits the model best is first. */
  findTextEndpoints(model: string): TextEndpoints;
  readonly tasks?: TasksByFormat;
  /** See `Upstream.findConvertedVideos`. */
  findConvertedVideos?(model: string): ConvertedVideos | undefined;
  readonly models: ModelListing;
  /** Creates the headers that contain the key. */
  createCredentialHeaders(key: string): Readonly<Record<string, string>>;
}

/** One request to an endpoint. */
interface EndpointRequest {
  /** `whole` if absent. */
  readonly framing?: ReplyFraming;
  readonly body?: BodyPieces;
  /** The fields of the caller's body that are not sent. */
  readonly dropped?: readonly string[];
  /** The model at the upstream; absent for requests about something else. */
  readonly model?: string;
  /** Whether a reply without a body is valid. */
  readonly allowsEmpty?: boolean;
}

/**
 * Creates an upstream over HTTP. Requests are sent only to its own origins. They have this gateway's key and the
 * caller's headers, except headers about the caller's connection. Redirects are refused. A request is sent again
 * only after a key was refused. The bytes of replies are unchanged, except for the keys.
 *
 * @param env names the proxies
 */
export function createHttpUpstream(
  api: HttpApi,
  config: UpstreamConfig,
  keyRing: KeyRing,
  env: NodeJS.ProcessEnv = process.env,
): Upstream {
  const { name } = config;
  const connection = createUpstreamConnection(config, keyRing, api.createCredentialHeaders, env);
  const ownHeaders = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );

  const thinkTagRules = (config.thinkTags ?? []).map(({ models, form }) => ({
    matches: createModelMatcher(models),
    form,
  }));

  async function requestEndpoint(
    endpoint: Endpoint,
    caller: UpstreamCaller,
    request: EndpointRequest,
  ): Promise<UpstreamReply> {
    const { framing = 'whole', body, dropped = [], model, allowsEmpty = false } = request;
    const base = endpoint.base ?? api.base;
    const { signal, keyName, noteKey } = caller;
    const { reply, keys, upstream } = await connection.exchange({
      method: endpoint.method ?? 'POST',
      base,
      path: createPath(endpoint, framing, caller.query),
      headers: createHeaders(endpoint, caller),
      body,
      model,
      signal,
      keyName,
      noteKey,
    });
    const refusal = refuseUnreadable(upstream, reply, allowsEmpty);
    if (refusal) await refusal;
    const { statusCode: status, body: bytes } = reply;
    const headers = {
      ...forwardReplyHeaders(reply.headers, name, keys),
      ...(dropped.length > 0 && { 'x-gateway-dropped': dropped.join(', ') }),
    };
    const callerReply = { status, headers, body: bytes };
    // Upstreams echo request data, and callers of this gateway must not learn its keys.
    const type = reply.headers['content-type']?.toLowerCase() ?? '';
    const filter = createKeysFilter(keys, { status, type });
    if (!filter) return callerReply;
    const plain = decompressOrDestroy(callerReply, name);
    if (plain === callerReply) bytes.applyFilter(filter);
    return plain === callerReply ? callerReply : { ...plain, body: filterBody(plain.body, filter) };
  }

  function createHeaders(
    { headers, defaultHeaders = {}, withheldHeaders = [] }: Endpoint,
    { headers: callerHeaders, requestId }: Pick<UpstreamCaller, 'headers' | 'requestId'>,
  ): Readonly<Record<string, string>> {
    const requestHeaders = forwardRequestHeaders(callerHeaders);
    for (const each of withheldHeaders) delete requestHeaders[each];
    for (const name of Object.keys(defaultHeaders)) requestHeaders[name] ??= defaultHeaders[name] ?? '';
    requestHeaders['accept-encoding'] ??= 'identity';
    return Object.assign(requestHeaders, headers, ownHeaders, { 'x-request-id': requestId });
  }

  async function listModels(signal: AbortSignal): Promise<readonly ListedModel[]> {
    if (config.models) return config.models.map((id) => ({ id, owner: name }));
    let size = 0;
    const models = await readModels(api.models, async (path) => {
      const bytes = await readPage(path, maxModelListBytes - size, signal);
      size += bytes?.length ?? 0;
      return bytes && parsePage(bytes);
    });
    if (models) return models;
    throw noModelListError({ name, origin: api.base.origin });
  }

  /** Reads one page of the list, at most `cap` bytes long. Returns undefined if it cannot be decoded. */
  async function readPage(path: string, cap: number, signal: AbortSignal): Promise<Buffer | undefined> {
    const headers = { 'accept-encoding': 'identity', ...api.models.headers, ...ownHeaders };
    const { base } = api;
    const { reply, keys } = await connection.exchange({ method: 'GET', base, path, headers, signal });
    const bytes = await readCapped(reply.body, cap).catch((error: unknown) => {
      throw noReplyError({ name, origin: base.origin }, error, true);
    });
    const { 'content-encoding': encoding = '' } = reply.headers;
    const plain = bytes && (await decodeBody(bytes, encoding, cap).catch(() => undefined));
    if (reply.statusCode !== 200)
      throw modelListError({ name, origin: base.origin }, reply.statusCode, plain, keys);
    if (bytes === undefined) throw noModelListError({ name, origin: base.origin }, maxModelListBytes);
    return plain && Buffer.from(hideKeys(plain, keys));
  }

  function findTextEndpoint({ request, servedModel, model }: UpstreamCall): TextEndpoint {
    const endpoints = api.findTextEndpoints(model);
    const endpoint = endpoints[request.format];
    if (endpoint) return endpoint;
    throw unsupportedFormatError(name, servedModel, listFormats(endpoints));
  }

  function createTaskApi({
    create,
    remix,
    read,
    cancel,
    cancelsQueuedOnly,
    cancelDeletesEnded,
    remove,
    readContent,
    listInputItems,
  }: TaskEndpoints): UpstreamTaskApi {
    const createTaskRequest = (createEndpoint: (task: string) => Endpoint) => (call: TaskCall) => {
      const endpoint = createEndpoint(call.task);
      const body = endpoint.json && [Buffer.from(JSON.stringify(endpoint.json))];
      return requestEndpoint(endpoint, call, { allowsEmpty: true, ...(body && { body }) });
    };
    return {
      create(call) {
        const endpoint = create(call.model);
        return requestEndpoint(endpoint, call, prepareBody(endpoint, call));
      },
      ...(remix && {
        remix(call) {
          const endpoint = remix(call.task);
          return requestEndpoint(endpoint, call, prepareBody(endpoint, call));
        },
      }),
      read: createTaskRequest(read),
      ...(cancel && { cancel: createTaskRequest(cancel) }),
      ...(cancelsQueuedOnly && { cancelsQueuedOnly }),
      ...(cancelDeletesEnded && { cancelDeletesEnded }),
      ...(remove && { remove: createTaskRequest(remove) }),
      ...(readContent && { readContent: createTaskRequest(readContent) }),
      ...(listInputItems && { listInputItems: createTaskRequest(listInputItems) }),
    };
  }

  /** Prepares the caller's body, without fields for prompt caching if the upstream refuses them. */
  function prepareBody(
    endpoint: Endpoint,
    call: Omit<UpstreamCall, 'request'>,
  ): Pick<EndpointRequest, 'body' | 'dropped' | 'model'> {
    const plain = config.promptCaching === false ? removeCacheFields(call.body) : undefined;
    const { model } = call;
    if (!plain) return { body: createBodyPieces(endpoint, call), model };
    const body = readRequestBody(plain.bytes);
    return { body: createBodyPieces(endpoint, { ...call, body }), dropped: plain.dropped, model };
  }

  const tasks: Partial<Record<TaskFormat, UpstreamTaskApi>> = Object.fromEntries(
    Object.entries(api.tasks ?? {}).map(([format, endpoints]) => [format, createTaskApi(endpoints)]),
  );

  return {
    name,
    listFormats: (model) => listFormats(api.findTextEndpoints(model)),
    findThinkTags: (model) => thinkTagRules.find(({ matches }) => matches(model))?.form,

    findCacheSupport(format, model) {
      const { hostname } = api.findTextEndpoints(model)[format]?.send.base ?? api.base;
      return findCacheSupport(format, { host: hostname, model, promptCaching: config.promptCaching });
    },

    listModels,
    tasks,
    ...(api.findConvertedVideos && { findConvertedVideos: api.findConvertedVideos }),
    origins: [api.base.origin],

    readResult({ origin, pathname, search }, { signal, requestId, keyName }) {
      const endpoint = { method: 'GET', base: new URL(origin), path: pathname + search } as const;
      return requestEndpoint(endpoint, { headers: {}, requestId, signal, keyName }, { allowsEmpty: true });
    },

    async send(call) {
      const { send: endpoint } = findTextEndpoint(call);
      const framing = readFraming(call);
      const reply = await requestEndpoint(endpoint, call, { framing, ...prepareBody(endpoint, call) });
      if (framing === 'whole') await holdReply(name, reply);
      return reply;
    },

    listCountFormats(model) {
      const endpoints = api.findTextEndpoints(model);
      return listFormats(endpoints).filter((format) => endpoints[format]?.count !== undefined);
    },

    async sendCount(call) {
      const { count: endpoint } = findTextEndpoint(call);
      if (!endpoint) throw cannotCountError(name, call.servedModel);
      return requestEndpoint(endpoint, call, prepareBody(endpoint, call));
    },

    close: () => connection.close(),
    drain: () => connection.drain(),
  };
}

/** Decompresses a reply. Closes its connection if the compression is unknown. */
function decompressOrDestroy(
  reply: UpstreamReply & { readonly body: UpstreamReplyBody },
  upstream: string,
): UpstreamReply {
  try {
    return decompressReply(reply, upstream);
  } catch (error) {
    reply.body.destroy();
    throw error;
  }
}

function listFormats(endpoints: TextEndpoints): readonly TextFormatId[] {
  return Object.keys(endpoints) as TextFormatId[];
}

/**
 * Returns the bytes of the caller. The upstream's ID of the model is inserted if it differs, or if the body names
 * the model several times.
 */
function createBodyPieces(
  endpoint: Endpoint,
  { body, servedModel, model }: Omit<UpstreamCall, 'request'>,
): BodyPieces {
  const createdBody = endpoint.createBody?.(body, model);
  if (createdBody) return createdBody instanceof Uint8Array ? [createdBody] : createdBody;
  const isSame = model === servedModel && !body.isRepeated('model');
  return isSame ? body.pieces : body.replaceModel(model);
}

function readFraming({ request, body }: UpstreamCall): ReplyFraming {
  return request.framing ?? (body.readField('stream') === true ? 'events' : 'whole');
}
