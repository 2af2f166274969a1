import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { invalidRequest } from '../httpError.ts';
import { modelField, type RequestBody, readRequestBody } from '../requestBody.ts';
import { routerPath } from '../routePath.ts';
import { spellingsOf } from '../servedRoutes.ts';
import type { VideoService } from './makeVideo.ts';
import { modelId } from './modelId.ts';
import { askModel, type TextRoute } from './textRoute.ts';
import { asksForVideo, makeVideoInteraction } from './videoInteraction.ts';

/** Serves the interactions route: text goes to an upstream, and a video becomes a task. */
export function serveInteractions(app: FastifyInstance, service: VideoService): void {
  const { group } = routes.interactions;
  async function serve(request: FastifyRequest<TextRoute>, reply: FastifyReply<TextRoute>) {
    const body = readRequestBody(request.body);
    const model = modelOf(body);
    if (asksForVideo(body.field('response_format')))
      return makeVideoInteraction(service, model, body, request, reply);
    return askModel(service, group, { model, request: { shape: 'interactions' }, body }, request, reply);
  }

  for (const { path } of spellingsOf(routes.interactions)) {
    app.post(routerPath(path), { config: { group } }, serve);
  }
}

function modelOf(body: RequestBody): string {
  if (body.field('model') === undefined && body.field('agent') !== undefined)
    throw invalidRequest('agent: there are no agents here; name a model.', 'unsupported_value', 'agent');
  return modelId(modelField(body));
}
