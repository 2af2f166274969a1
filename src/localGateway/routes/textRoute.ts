import { type TextFormat, type TextFormatId, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import type { Catalogue } from '../catalogue.ts';
import { catalogueFor } from '../config/allowedModels.ts';
import { askUpstream } from '../conversion/askUpstream.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import type { Query } from '../query.ts';
import { modelField, type RequestBody, readRequestBody } from '../requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import type { ReplyFraming, RequestFormat } from '../upstreams/upstream.ts';
import { modelId } from './modelId.ts';

/** A request with its model. */
export interface TextCall {
  readonly model: string;
  /** Where the model is asked. */
  readonly place: ModelPlace;
  readonly request: RequestFormat;
  readonly body: RequestBody;
}

/** What the routes of a format do beside passing text on. */
export interface RouteExtras {
  /** The model that a body names. Throws an HttpError where it names none. */
  modelOf(body: RequestBody): string;
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
      const asked = { ...read, place: await catalogueFor(catalogue, request).find(read.model) };
      if (!extras) return askModel(asked, request);
      return (
        extras.answer(asked, request) ?? askModel({ ...asked, body: extras.bodyFor(asked, request) }, request)
      );
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

/** Passes the reply of the model's upstream on, converted where it serves other formats only. */
async function askModel(
  { model: servedModel, place: { upstream, model }, request: asked, body }: TextCall,
  { headers, rawQuery: query, id: requestId, signal }: GatewayRequest,
): Promise<Answer> {
  const call = { request: asked, body, headers, query, servedModel, model, requestId, signal };
  return { relayed: await askUpstream(upstream, upstream.formatsOf(model), call) };
}
