import type { FastifyInstance } from 'fastify';
import { openRoutes } from '../../wire/routes.ts';
import { modelField, readRequestBody } from '../requestBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveMessages(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, openRoutes.messages, (request) => {
    const body = readRequestBody(request.body);
    return { model: modelField(body), request: { shape: 'messages' }, body };
  });
}
