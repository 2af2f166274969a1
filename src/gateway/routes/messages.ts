import type { FastifyInstance } from 'fastify';
import { openRoutes } from '../../wire/routes.ts';
import { messagesRequest } from '../../wire/shapes/messages.ts';
import { readBody } from './readBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveMessages(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, openRoutes.messages, (request) => {
    const body = readBody(request.body, messagesRequest);
    return { model: body.model, request: { shape: 'messages', body } };
  });
}
