import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route, RouteGroup } from '../../wire/routes.ts';
import type { Catalogue } from '../catalogue.ts';
import { errorEvent } from '../errorForm.ts';
import { shuttingDown } from '../httpError.ts';
import type { RequestBody } from '../requestBody.ts';
import { routerPath } from '../routePath.ts';
import { spellingsOf } from '../servedRoutes.ts';
import type { RequestShape } from '../upstreams/upstream.ts';
import { forCaller } from './forCaller.ts';
import { relay } from './relay.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The group of the route, which decides the form of its errors. */
    readonly group?: RouteGroup;
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
export interface Asked {
  readonly model: string;
  readonly request: RequestShape;
  readonly body: RequestBody;
}

/**
 * Serves a route to a text model.
 *
 * @param read throws an HttpError when the request names no model
 */
export function serveTextRoute(
  app: FastifyInstance,
  service: TextService,
  route: Route,
  read: (request: FastifyRequest<TextRoute>) => Asked,
): void {
  const { group } = route;
  for (const { path } of spellingsOf(route)) {
    app.post<TextRoute>(routerPath(path), { config: { group } }, (request, reply) =>
      askModel(service, group, read(request), request, reply),
    );
  }
}

/** Finds the upstream of the model and passes its reply on. */
export async function askModel(
  { catalogue, closing }: TextService,
  group: RouteGroup,
  asked: Asked,
  request: FastifyRequest<TextRoute>,
  reply: FastifyReply<TextRoute>,
) {
  const { upstream, model } = catalogue.find(asked.model);
  return forCaller(reply, closing, async (signal) => {
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
      farewell: errorEvent(shuttingDown(), group, request.id),
    });
    return reply;
  });
}
