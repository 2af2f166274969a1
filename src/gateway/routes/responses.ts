import type { FastifyInstance } from 'fastify';
import { openRoutes } from '../../wire/routes.ts';
import { responsesRequest } from '../../wire/shapes/responses.ts';
import { readBody } from './readBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveResponses(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, openRoutes.responses, (request) => {
    const body = readBody(request.body, responsesRequest);
    return { model: body.model, request: { shape: 'responses', body } };
  });
}
