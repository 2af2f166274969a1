import { type TextFormat, type TextFormatId, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import type { Catalogue } from '../catalogue.ts';
import { catalogueFor } from '../config/allowedModels.ts';
import { askUpstream } from '../conversion/askUpstream.ts';
import type { Query } from '../query.ts';
import { modelField, type RequestBody, readRequestBody } from '../requestBody.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import type { ReplyFraming, RequestFormat } from '../upstreams/upstream.ts';
import { modelId } from './modelId.ts';

/** A request with its model. */
export interface TextCall {
  readonly model: string;
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
    answer(request) {
      const asked = read(request, format, route, extras);
      if (!extras) return askModel(catalogue, asked, request);
      return (
        extras.answer(asked, request) ??
        askModel(catalogue, { ...asked, body: extras.bodyFor(asked, request) }, request)
      );
    },
  };
}

function read(
  { params, query, body: bytes }: GatewayRequest,
  { id, isModelInPath }: TextFormat,
  route: Route,
  extras: RouteExtras | undefined,
): TextCall {
  const body = readRequestBody(bytes);
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

/** Finds the upstream of the model and passes its reply on, converted where it serves other formats only. */
async function askModel(
  catalogue: Catalogue,
  { model: servedModel, request: asked, body }: TextCall,
  asker: GatewayRequest,
): Promise<Answer> {
  const { headers, rawQuery: query, id: requestId, signal } = asker;
  const { upstream, model } = catalogueFor(catalogue, asker).find(servedModel);
  const call = { request: asked, body, headers, query, servedModel, model, requestId, signal };
  return { relayed: await askUpstream(upstream, upstream.formatsOf(model), call) };
}
