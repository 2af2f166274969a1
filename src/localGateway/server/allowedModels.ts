import type { Access } from '../config/access.ts';
import type { HttpError } from '../http/httpError.ts';
import type { Catalogue, CatalogueModel, FoundModel } from '../models/catalogue.ts';
import type { ModelPlace } from '../models/modelTable.ts';
import { type FurtherModel, modelRefused } from './furtherModels.ts';
import type { GatewayRequest } from './handler.ts';

/**
 * The catalogue as a caller may use it: the list holds the models that its credential allows, and asking for
 * another one is refused, as is a body that names one besides. What is found is noted with the request.
 */
export function catalogueFor(
  catalogue: Catalogue,
  { access, notes, furtherModels }: GatewayRequest,
): Catalogue {
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
      for (const further of furtherModels) await checkFurther(further, found.places, access, catalogue);
      notes.model = id;
      notes.upstream = found.places[0].upstream.name;
      return found;
    },
  };
}

/** Some upstreams read lists, settings or other paths into an id, which a pattern with `*` would let through. */
function namesOneModel(id: string): boolean {
  return (
    /^[^\p{C}\p{Z},;|?#%&\\]*$/u.test(id.replaceAll(' ', '')) &&
    !/(?:^|\/)\.{0,2}(?:\/|$)|@preset\//i.test(id)
  );
}

/** Refuses a further model, where the caller may not use it at each place to which the body may be sent. */
async function checkFurther(
  { id, member }: FurtherModel,
  places: readonly Pick<ModelPlace, 'upstream'>[],
  access: Access,
  catalogue: Pick<Catalogue, 'find'>,
): Promise<void> {
  for (const { upstream } of places) {
    const isNamed = namesOneModel(id) && access.allows(`${upstream.name}/${id}`);
    if (!isNamed && !(await isAllowedAt(id, upstream.name, access, catalogue)))
      throw modelRefused(member, id);
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

function notAllowed(id: string): HttpError {
  return modelRefused('model', id);
}
