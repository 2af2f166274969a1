import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { readRequestBody } from '../requestBody.ts';
import { modelId } from './modelId.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveGenerateContent(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, routes.generateContent, ({ params, body }) => ({
    model: modelId(params.model),
    request: {
      shape: 'content-generation',
      framing: 'whole',
    },
    body: readRequestBody(body),
  }));
}
