import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { readRequestBody } from '../requestBody.ts';
import { modelId } from './modelId.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

/** Serves server-sent events for `alt=sse`, and otherwise one JSON array in pieces. */
export function serveStreamGenerateContent(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, routes.streamGenerateContent, ({ params, query, body }) => ({
    model: modelId(params.model),
    request: {
      shape: 'content-generation',
      framing: query.alt === 'sse' ? 'events' : 'array',
    },
    body: readRequestBody(body),
  }));
}
