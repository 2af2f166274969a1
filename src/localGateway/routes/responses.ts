import type { FastifyInstance } from 'fastify';
import { openRoutes } from '../../wire/routes.ts';
import { modelField, readRequestBody } from '../requestBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveResponses(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, openRoutes.responses, (request) => {
    const body = readRequestBody(request.body);
    return { model: modelField(body), request: { shape: 'responses' }, body };
  });
}
