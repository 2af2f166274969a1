import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TextFormat, type TextFormatId, textFormats } from '../../wire/apis/textFormats.ts';
import type { Route } from '../../wire/routes.ts';
import type { Catalogue } from '../catalogue.ts';
import { errorEvent } from '../errorFormat.ts';
import { shuttingDown } from '../httpError.ts';
import { modelField, type RequestBody, readRequestBody } from '../requestBody.ts';
import { spellingsOf } from '../servedRoutes.ts';
import { relay } from '../server/relay.ts';
import { routerPath } from '../server/routePath.ts';
import type { ReplyFraming, RequestFormat } from '../upstreams/upstream.ts';
import { modelId } from './modelId.ts';
import { whileConnected } from './whileConnected.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The group of the route, which decides the format of its errors. */
    readonly group?: string;
  }
}

/** What the routes to text models share. */
export interface TextService {
  readonly catalogue: Catalogue;
  /** Aborted when the gateway ends, which ends open calls. */
  readonly closing: AbortSignal;
}

export interface TextRoute {
  Body: Buffer | undefined;
  Params: { readonly model?: string };
  Querystring: { readonly alt?: string };
}

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
  /** Answers what asks for something else than text; undefined where a request asks for text. */
  answer(
    asked: TextCall,
    request: FastifyRequest<TextRoute>,
    reply: FastifyReply<TextRoute>,
  ): Promise<unknown> | undefined;
}

/** Serves every route by which a model is asked, in every format. */
export function serveTextFormats(
  app: FastifyInstance,
  service: TextService,
  extras: Readonly<Partial<Record<TextFormatId, RouteExtras>>>,
): void {
  for (const format of textFormats) {
    for (const route of format.routes) serveTextRoute(app, service, format, route, extras[format.id]);
  }
}

function serveTextRoute(
  app: FastifyInstance,
  service: TextService,
  format: TextFormat,
  route: Route,
  extras?: RouteExtras,
): void {
  const { group } = route;
  for (const { path } of spellingsOf(route)) {
    app.post<TextRoute>(routerPath(path), { config: { group } }, (request, reply) => {
      const asked = read(request, format, route, extras);
      return extras?.answer(asked, request, reply) ?? askModel(service, group, asked, request, reply);
    });
  }
}

function read(
  { params, query, body: bytes }: FastifyRequest<TextRoute>,
  { id, isModelInPath }: TextFormat,
  route: Route,
  extras?: RouteExtras,
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
function framingOf({ isStreamed }: Route, { alt }: TextRoute['Querystring']): ReplyFraming | undefined {
  if (isStreamed === undefined) return undefined;
  if (!isStreamed) return 'whole';
  return alt === 'sse' ? 'events' : 'array';
}

/** Finds the upstream of the model and passes its reply on. */
async function askModel(
  { catalogue, closing }: TextService,
  group: string,
  asked: TextCall,
  request: FastifyRequest<TextRoute>,
  reply: FastifyReply<TextRoute>,
) {
  const { upstream, model } = catalogue.find(asked.model);
  return whileConnected(reply, closing, async (signal) => {
    const answer = await upstream.send({
      request: asked.request,
      body: asked.body,
      headers: request.headers,
      servedModel: asked.model,
      model,
      requestId: request.id,
      signal,
    });
    reply.hijack();
    await relay(answer, reply.raw, {
      signal,
      closing,
      finalEvent: errorEvent(shuttingDown(), group, request.id),
    });
    return reply;
  });
}
