import { randomUUID } from 'node:crypto';
import type { Cancellation } from '../../base/cancellation.ts';
import { type TextFormat, type TextFormatId, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import type { ExpectedReply } from '../conversion/assembledReply.ts';
import { type Conversion, findConversion } from '../conversion/conversion.ts';
import {
  checkDepth,
  convertCall,
  convertFailure,
  convertHeaders,
  createJsonReply,
  isFailure,
  iterateBytes,
  readReplyBytes,
} from '../conversion/convertedExchange.ts';
import type { ConvertedStream } from '../conversion/convertedReply.ts';
import type { Query } from '../http/query.ts';
import { normalizeModelId, type RequestBody, readModelField, readRequestBody } from '../http/requestBody.ts';
import type { AliasRules } from '../models/alias.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { sendWithFallback } from '../models/modelFallback.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import { limitCatalogue } from '../server/allowedModels.ts';
import { addCosts } from '../server/replyTokens.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { decompressReply, replyCutError } from '../upstreams/unreadableReply.ts';
import type {
  Queueing,
  ReplyFraming,
  RequestFormat,
  Upstream,
  UpstreamCall,
  UpstreamReply,
  UsedKey,
} from '../upstreams/upstream.ts';

/** A request with its model. */
export interface TextRouteCall {
  readonly model: string;
  /** The first target in the order of the attempts. */
  readonly target: ModelTarget;
  readonly request: RequestFormat;
  readonly body: RequestBody;
  /** The name of the key that made the continued task. */
  readonly keyName?: string | undefined;
}

/** The features of a format's routes in addition to text. */
export interface RouteExtras {
  /**
   * Reads the ID of the model that a body names.
   *
   * @throws {HttpError} if it does not name a model
   */
  readModel(body: RequestBody): string;
  /** Whether only one upstream can handle the request, because it creates a task or continues a stored task. */
  needsOneUpstream(body: RequestBody): boolean;
  /** Replaces the ID of an earlier task in the body by the upstream's own ID, and finds the key for it. */
  resolveContinuation(call: TextRouteCall, request: GatewayRequest): Pick<TextRouteCall, 'body' | 'keyName'>;
  /** Replies to requests for something other than text; undefined if a request is for text. */
  handleNonText(call: TextRouteCall, request: GatewayRequest): Promise<HandlerResponse> | undefined;
}

/** Serves every route that sends requests to models, in every format. */
export function createTextRoutes(
  catalogue: Catalogue,
  extras: Readonly<Partial<Record<TextFormatId, RouteExtras>>>,
): readonly ServedRoute[] {
  return textFormats.flatMap((format) =>
    format.routes.map((route) => createTextRoute(catalogue, format, route, extras[format.id])),
  );
}

function createTextRoute(
  catalogue: Catalogue,
  format: TextFormat,
  route: Route,
  extras: RouteExtras | undefined,
): ServedRoute {
  return {
    route,
    async handle(request) {
      const routeCall = readCall(request, format, route, extras);
      const { alias, takeTargets } = await limitCatalogue(catalogue, request).find(routeCall.model);
      const [target, ...others] = takeTargets();
      if (alias) request.notes.upstream = target.upstream.name;
      const call = { ...routeCall, target };
      const response = extras?.handleNonText(call, request);
      if (response) return response;
      const resolvedCall = extras ? { ...call, ...extras.resolveContinuation(call, request) } : call;
      if (!alias) return { relayed: await sendToModel(resolvedCall, target, request) };
      const targets = extras?.needsOneUpstream(routeCall.body) ? [target] : [target, ...others];
      return { relayed: await sendToAlias(resolvedCall, { rules: alias, targets }, request) };
    },
  };
}

function readCall(
  { params, query, pieces }: GatewayRequest,
  { id, isModelInPath }: TextFormat,
  route: Route,
  extras: RouteExtras | undefined,
): Omit<TextRouteCall, 'target'> {
  const body = readRequestBody(pieces);
  const framing = readFraming(route, query);
  return {
    model: isModelInPath ? normalizeModelId(params.model) : (extras?.readModel ?? readModelField)(body),
    request: { format: id, ...(framing && { framing }) },
    body,
  };
}

/** Reads the framing of a reply. Callers with `alt=sse` get server-sent events, others a JSON array in pieces. */
function readFraming({ isStreamed }: Route, { alt }: Query): ReplyFraming | undefined {
  if (isStreamed === undefined) return undefined;
  if (!isStreamed) return 'whole';
  return alt === 'sse' ? 'events' : 'array';
}

/** Sends a request to a model, and converts the reply if the upstream does not serve the caller's format. */
function sendToModel(
  { model: servedModel, request: requestFormat, body, keyName }: TextRouteCall,
  { upstream, model }: ModelTarget,
  { headers, rawQuery: query, id: requestId, signal, queueing, notes, spending }: Caller,
): Promise<UpstreamReply> {
  // The previous model of an alias may have used another key.
  notes.key = undefined;
  notes.convertedTokens = undefined;
  const noteKey = (used: UsedKey) => {
    notes.key = used;
  };
  const caller = { headers, query, requestId, signal, keyName, noteKey, spending };
  const call = { request: requestFormat, body, servedModel, model, ...caller, ...(queueing && { queueing }) };
  return sendToUpstream(upstream, upstream.listFormats(model), call, (event) => {
    notes.convertedTokens = addCosts(notes.convertedTokens, event);
  });
}

interface Caller
  extends Pick<GatewayRequest, 'headers' | 'rawQuery' | 'id' | 'signal' | 'notes' | 'spending'> {
  readonly queueing?: Queueing;
}

/** Sends a request to the models of an alias until one replies. */
function sendToAlias(
  call: TextRouteCall,
  turn: { readonly rules: AliasRules; readonly targets: readonly ModelTarget[] },
  { headers, rawQuery, id, signal, notes, spending }: GatewayRequest,
): Promise<UpstreamReply> {
  const send = (target: ModelTarget, targetSignal: Cancellation, queueing: Queueing) =>
    sendToModel(call, target, { headers, rawQuery, id, signal: targetSignal, queueing, notes, spending });
  return sendWithFallback({ ...turn, signal, notes, send });
}

/**
 * Sends a request to a model in the caller's format, or in the first of the model's formats that the request can
 * be converted into.
 *
 * @param formats the formats that the model supports; the format that suits it best is first
 * @throws {HttpError} as `upstream.send`, and 400 for a request that would lose content or a constraint
 */
function sendToUpstream(
  upstream: TextUpstream,
  formats: readonly TextFormatId[],
  call: UpstreamCall,
  noteCosts: NoteCosts,
): Promise<UpstreamReply> {
  const { format: from } = call.request;
  const to = formats.includes(from) ? undefined : formats.find((format) => findConversion(from, format));
  const conversion = to && findConversion(from, to);
  return to && conversion ? sendConverted(upstream, to, conversion, call, noteCosts) : upstream.send(call);
}

type NoteCosts = NonNullable<ExpectedReply['noteCosts']>;

type TextUpstream = Pick<Upstream, 'name' | 'send' | 'findThinkTags' | 'findCacheSupport'>;

async function sendConverted(
  upstream: TextUpstream,
  to: TextFormatId,
  conversion: Conversion,
  call: UpstreamCall,
  noteCosts: NoteCosts,
): Promise<UpstreamReply> {
  checkDepth(call.body);
  const { framing } = call.request;
  const { model } = call;
  const thinkTags = upstream.findThinkTags?.(model);
  const caching = upstream.findCacheSupport?.(to, model);
  const converted = conversion.convertRequest(call.body.bytes, { model, framing, thinkTags, caching });
  const upstreamReply = await upstream.send({ ...call, ...convertCall(to, converted, call) });
  const reply = decompressReply(upstreamReply, upstream.name);
  const headers = convertHeaders(reply, conversion, converted);
  if (isFailure(reply)) return convertFailure(reply, headers, call);
  const details = { id: randomUUID(), createdAt: new Date(), requestId: call.requestId, noteCosts };
  if (converted.isStreamed) {
    const noteStreamCosts = to === 'messages' ? withoutFirstOutput(noteCosts) : noteCosts;
    const stream = converted.createStream({ ...details, noteCosts: noteStreamCosts });
    const body = convertBytes(reply.body, stream, upstream.name);
    return { status: reply.status, headers: { ...headers, 'content-type': stream.contentType }, body };
  }
  const bytes = await readReplyBytes(reply, upstream.name);
  return createJsonReply(reply.status, headers, converted.convertReply(bytes, details));
}

/**
 * Ignores the output in the first report of a stream of messages. That output is preliminary, and must not count if
 * the reply is cut.
 */
function withoutFirstOutput(noteCosts: NoteCosts): NoteCosts {
  let isFirst = true;
  return (event) => {
    if (event.type !== 'usage' || !isFirst) return noteCosts(event);
    isFirst = false;
    const { outputTokens, ...usage } = event.usage;
    noteCosts((outputTokens ?? 0) > maxPreliminaryOutput ? event : { type: 'usage', usage });
  };
}

/** A larger output is not preliminary: some relays report all counts only in the last event. */
const maxPreliminaryOutput = 20;

/**
 * Converts the bytes of a stream. Ends after an error in the stream, which closes the upstream's reply.
 *
 * @throws {HttpError} if the upstream's reply was cut
 */
async function* convertBytes(
  body: UpstreamReply['body'],
  stream: ConvertedStream,
  upstream: string,
): AsyncIterable<string> {
  let isBroken = false;
  try {
    for await (const bytes of iterateBytes(body)) {
      const text = stream.write(bytes);
      if (text !== '') yield text;
      if (stream.hasEnded && !stream.isCut) return;
    }
  } catch {
    isBroken = true;
  }
  const rest = isBroken ? stream.cut() : stream.end();
  if (rest !== '') yield rest;
  if (stream.isCut) throw replyCutError(upstream);
}
