import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { interactionsRequest } from '../../wire/shapes/interactions.ts';
import { invalidRequest } from '../httpError.ts';
import { modelId } from './modelId.ts';
import { readBody } from './readBody.ts';
import { serveTextRoute, type TextService } from './textRoute.ts';

export function serveInteractions(app: FastifyInstance, service: TextService): void {
  serveTextRoute(app, service, routes.interactions, (request) => {
    const body = readBody(request.body, interactionsRequest);
    const { model, agent } = body;
    if (agent !== undefined)
      throw invalidRequest('agent: there are no agents here; name a model.', 'unsupported_value', 'agent');
    return { model: modelId(model), request: { shape: 'interactions', body } };
  });
}
