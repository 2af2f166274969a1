import type { Catalogue } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';
import type { GatewayRequest } from '../server/handler.ts';

/**
 * The catalogue as a caller may use it: the list holds the models that its credential allows, and asking for
 * another one is refused. What is found is noted with the request.
 */
export function catalogueFor(catalogue: Catalogue, { access, notes }: GatewayRequest): Catalogue {
  function admit(id: string): void {
    if (!access.allows(id)) throw notAllowed(id);
  }
  return {
    ...catalogue,
    async list() {
      const { models, unavailable } = await catalogue.list();
      return { models: models.filter(({ id }) => access.allows(id)), unavailable };
    },
    find(id) {
      admit(id);
      const found = catalogue.find(id);
      notes.model = id;
      notes.upstream = found.upstream.name;
      return found;
    },
    findVideo(id) {
      admit(id);
      const found = catalogue.findVideo(id);
      notes.model = id;
      notes.upstream = found.upstream;
      return found;
    },
  };
}

function notAllowed(id: string): HttpError {
  return new HttpError({
    status: 403,
    message: `This credential may not use the model "${id.slice(0, 100)}". GET /v1/models lists those that it may use.`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_allowed',
    neverSent: true,
  });
}
