import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import type { ModelList } from '../../wire/shapes/models.ts';
import type { Catalogue, UnavailableUpstream } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';

/** The list, and beside it the upstreams whose models are missing from it. */
type LocalModelList = ModelList & { readonly unavailable?: readonly UnavailableUpstream[] };

export function serveModelList(app: FastifyInstance, catalogue: Catalogue): void {
  app.get(routes.listModels.path, async (): Promise<LocalModelList> => {
    const { models, unavailable } = await catalogue.list();
    // An empty list would read as "no models"; the truth is that nobody could be asked.
    if (models.length === 0 && unavailable.length > 0) throw nothingListed(unavailable);
    return {
      object: 'list',
      data: models.map(({ id, owner, created }) => ({
        id,
        object: 'model',
        created: created ?? 0,
        owned_by: owner,
      })),
      ...(unavailable.length > 0 && { unavailable }),
    };
  });
}

function nothingListed(unavailable: readonly UnavailableUpstream[]): HttpError {
  return new HttpError({
    status: 502,
    message: unavailable.map(({ reason }) => reason).join(' '),
    type: 'upstream_error',
    code: 'upstream_model_list',
  });
}
