import type { Cancellation } from '../../base/cancellation.ts';
import { type TextFormat, type TextFormatId, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import { askUpstream } from '../conversion/exchange/askUpstream.ts';
import type { Query } from '../http/query.ts';
import { modelField, modelId, type RequestBody, readRequestBody } from '../http/requestBody.ts';
import type { AliasRules } from '../models/alias.ts';
import { askInTurn } from '../models/askInTurn.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import { catalogueFor } from '../server/allowedModels.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import type { Queueing, ReplyFraming, RequestFormat, UpstreamReply } from '../upstreams/upstream.ts';

/** A request with its model. */
export interface TextCall {
  readonly model: string;
  /** Where the model is asked first. */
  readonly place: ModelPlace;
  readonly request: RequestFormat;
  readonly body: RequestBody;
}

/** What the routes of a format do beside passing text on. */
export interface RouteExtras {
  /** The model that a body names. Throws an HttpError where it names none. */
  modelOf(body: RequestBody): string;
  /** Whether it may be asked in one place only: what makes a task, or goes on from what one upstream keeps. */
  isBound(body: RequestBody): boolean;
  /** The body as the model's upstream understands it. */
  bodyFor(asked: TextCall, request: GatewayRequest): RequestBody;
  /** Answers what asks for something else than text; undefined where a request asks for text. */
  answer(asked: TextCall, request: GatewayRequest): Promise<Answer> | undefined;
}

/** Serves every route by which a model is asked, in every format. */
export function textRoutes(
  catalogue: Catalogue,
  extras: Readonly<Partial<Record<TextFormatId, RouteExtras>>>,
): readonly ServedRoute[] {
  return textFormats.flatMap((format) =>
    format.routes.map((route) => textRoute(catalogue, format, route, extras[format.id])),
  );
}

function textRoute(
  catalogue: Catalogue,
  format: TextFormat,
  route: Route,
  extras: RouteExtras | undefined,
): ServedRoute {
  return {
    route,
    async answer(request) {
      const read = readCall(request, format, route, extras);
      const { alias, take } = await catalogueFor(catalogue, request).find(read.model);
      const [place, ...others] = take();
      if (alias) request.notes.upstream = place.upstream.name;
      const asked = { ...read, place };
      const answer = extras?.answer(asked, request);
      if (answer) return answer;
      const sent = extras ? { ...asked, body: extras.bodyFor(asked, request) } : asked;
      if (!alias) return { relayed: await askModel(sent, place, request) };
      const places = extras?.isBound(read.body) ? [place] : [place, ...others];
      return { relayed: await askAlias(sent, { rules: alias, places }, request) };
    },
  };
}

function readCall(
  { params, query, pieces }: GatewayRequest,
  { id, isModelInPath }: TextFormat,
  route: Route,
  extras: RouteExtras | undefined,
): Omit<TextCall, 'place'> {
  const body = readRequestBody(pieces);
  const framing = framingOf(route, query);
  return {
    model: isModelInPath ? modelId(params.model) : (extras?.modelOf ?? modelField)(body),
    request: { format: id, ...(framing && { framing }) },
    body,
  };
}

/** Server-sent events are for those who ask for `alt=sse`; the others get one JSON array, sent in pieces. */
function framingOf({ isStreamed }: Route, { alt }: Query): ReplyFraming | undefined {
  if (isStreamed === undefined) return undefined;
  if (!isStreamed) return 'whole';
  return alt === 'sse' ? 'events' : 'array';
}

/** The reply of an upstream, converted where it serves other formats only. */
function askModel(
  { model: servedModel, request: asked, body }: TextCall,
  { upstream, model }: ModelPlace,
  { headers, rawQuery: query, id: requestId, signal, queueing }: Caller,
): Promise<UpstreamReply> {
  const caller = { headers, query, requestId, signal };
  const call = { request: asked, body, servedModel, model, ...caller, ...(queueing && { queueing }) };
  return askUpstream(upstream, upstream.formatsOf(model), call);
}

interface Caller extends Pick<GatewayRequest, 'headers' | 'rawQuery' | 'id' | 'signal'> {
  readonly queueing?: Queueing;
}

/** The reply of the first model of an alias that answers. */
function askAlias(
  asked: TextCall,
  turn: { readonly rules: AliasRules; readonly places: readonly ModelPlace[] },
  { headers, rawQuery, id, signal, notes }: GatewayRequest,
): Promise<UpstreamReply> {
  const ask = (place: ModelPlace, given: Cancellation, queueing: Queueing) =>
    askModel(asked, place, { headers, rawQuery, id, signal: given, queueing });
  return askInTurn({ ...turn, signal, notes, ask });
}
