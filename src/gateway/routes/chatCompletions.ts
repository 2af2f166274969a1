import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { chatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import { readBody } from './readBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveChatCompletions(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, routes.chatCompletions, (request) => {
    const body = readBody(request.body, chatCompletionsRequest);
    return { model: body.model, request: { shape: 'chat', body } };
  });
}
