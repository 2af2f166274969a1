import { isObject } from '../../base/json.ts';
import { stringOf } from '../../wire/apis/encoding.ts';
import type { Catalogue, CatalogueModel } from '../catalogue.ts';
import { HttpError } from '../httpError.ts';
import type { FoundModel } from '../models/foundModel.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import type { RequestBody } from '../requestBody.ts';
import type { GatewayRequest } from '../server/handler.ts';
import type { Access } from './access.ts';

/**
 * The catalogue as a caller may use it: the list holds the models that its credential allows, and asking for
 * another one is refused. What is found is noted with the request.
 */
export function catalogueFor(catalogue: Catalogue, { access, notes }: GatewayRequest): Catalogue {
  return {
    ...catalogue,
    async list() {
      const { models, unavailable } = await catalogue.list();
      return { models: models.filter((model) => mayUse(access, model.id, model)), unavailable };
    },
    async find(id) {
      if (access.isLimited && !namesOneModel(id)) throw notAllowed(id);
      // Who may not use a model does not learn whether there is one.
      const isNamed = access.allows(id);
      let found: FoundModel;
      try {
        found = await catalogue.find(id);
      } catch (error) {
        throw isNamed ? error : notAllowed(id);
      }
      if (!isNamed && !mayUse(access, id, { ...found, isAlias: found.alias !== undefined }))
        throw notAllowed(id);
      notes.model = id;
      notes.upstream = found.places[0].upstream.name;
      return found;
    },
  };
}

/** Some upstreams read lists, settings or other paths into an id, which a pattern with `*` would let through. */
function namesOneModel(id: string): boolean {
  return (
    /^[^\p{C}\p{Z},;|?#%&\\]*$/u.test(id.replaceAll(' ', '')) && !/(?:^|\/)\.{0,2}(?:\/|$)|@preset\//.test(id)
  );
}

/** By these fields some providers are told of further models, which they may ask in place of the first. */
const furtherFields = ['models', 'fallbacks'] as const;

/**
 * Refuses a body that names further models for an upstream, where the caller may not use each of them there.
 *
 * @param places where the body may be sent
 * @throws {HttpError} 403
 */
export async function checkFurtherModels(
  body: Pick<RequestBody, 'field'>,
  access: Access,
  places: readonly Pick<ModelPlace, 'upstream'>[],
  catalogue: Pick<Catalogue, 'find'>,
): Promise<void> {
  for (const field of furtherFields) {
    for (const named of [body.field(field) ?? []].flat()) {
      const id = isObject(named) ? stringOf(named.model) : String(named);
      for (const { upstream } of places) {
        const isNamed = namesOneModel(id) && access.allows(`${upstream.name}/${id}`);
        if (!isNamed && !(await isAllowedAt(id, upstream.name, access, catalogue)))
          throw notAllowed(id, field);
      }
    }
  }
}

/** Whether the id that callers write, which may be an alias, leads to the same model as it does at the upstream. */
async function isAllowedAt(
  id: string,
  upstream: string,
  access: Access,
  catalogue: Pick<Catalogue, 'find'>,
): Promise<boolean> {
  if (!namesOneModel(id) || !access.allows(id)) return false;
  const found = await Promise.resolve(catalogue.find(id)).catch(() => undefined);
  const [place] = found?.places ?? [];
  return found?.alias === undefined && place?.upstream.name === upstream && place.model === id;
}

/** A credential names a model by the id that callers write, or with its upstream; an alias by its own name. */
function mayUse(
  access: Access,
  id: string,
  { places, isAlias }: Pick<CatalogueModel, 'places' | 'isAlias'>,
): boolean {
  if (access.allows(id)) return true;
  return !isAlias && places.some(({ upstream, model }) => access.allows(`${upstream.name}/${model}`));
}

function notAllowed(id: string, param = 'model'): HttpError {
  return new HttpError({
    status: 403,
    message: `This credential may not use the model "${id.slice(0, 100)}". GET /v1/models lists those that it may use.`,
    type: 'invalid_request_error',
    param,
    code: 'model_not_allowed',
    neverSent: true,
  });
}
