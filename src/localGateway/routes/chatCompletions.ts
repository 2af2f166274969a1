import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { modelField, readRequestBody } from '../requestBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveChatCompletions(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, routes.chatCompletions, (request) => {
    const body = readRequestBody(request.body);
    return { model: modelField(body), request: { shape: 'chat' }, body };
  });
}
