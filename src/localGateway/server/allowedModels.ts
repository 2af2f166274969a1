import type { CredentialAccess } from '../config/gatewayCredentials.ts';
import type { HttpError } from '../http/httpError.ts';
import type { Catalogue, CatalogueModel, FoundModel } from '../models/catalogue.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import { type FurtherModel, modelRefusedError } from './furtherModels.ts';
import type { GatewayRequest } from './routeHandler.ts';

/**
 * Creates a view of the catalogue for one caller, which lists only the models that the caller's credential allows.
 * It refuses requests for other models, and bodies that name other models in addition. It adds the model and the
 * upstream to the notes of the request.
 */
export function limitCatalogue(
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
      if (access.hasModelLimit && !namesOneModel(id)) throw notAllowedError(id);
      // Callers must not learn whether a model exists if they may not use it.
      const isAllowedById = access.allows(id);
      let found: FoundModel;
      try {
        found = await catalogue.find(id);
      } catch (error) {
        throw isAllowedById ? error : notAllowedError(id);
      }
      if (!isAllowedById && !mayUse(access, id, { ...found, isAlias: found.alias !== undefined }))
        throw notAllowedError(id);
      for (const further of furtherModels) await checkFurtherModel(further, found.targets, access, catalogue);
      notes.model = id;
      notes.upstream = found.targets[0].upstream.name;
      return found;
    },
  };
}

/**
 * Whether an ID can only be the ID of one model. Some upstreams read other IDs as a list, a setting or another
 * path.
 */
function namesOneModel(id: string): boolean {
  return (
    /^[^\p{C}\p{Z},;|?#%&\\]*$/u.test(id.replaceAll(' ', '')) &&
    !/(?:^|\/)\.{0,2}(?:\/|$)|@preset\//i.test(id)
  );
}

/** Refuses a further model unless the caller may use it at every target that may receive the body. */
async function checkFurtherModel(
  { id, member }: FurtherModel,
  targets: readonly Pick<ModelTarget, 'upstream'>[],
  access: CredentialAccess,
  catalogue: Pick<Catalogue, 'find'>,
): Promise<void> {
  for (const { upstream } of targets) {
    const isAllowedById = namesOneModel(id) && access.allows(`${upstream.name}/${id}`);
    if (!isAllowedById && !(await isAllowedAt(id, upstream.name, access, catalogue)))
      throw modelRefusedError(member, id);
  }
}

/** Whether the catalogue resolves an ID, which may be an alias, to the same model as the upstream does. */
async function isAllowedAt(
  id: string,
  upstream: string,
  access: CredentialAccess,
  catalogue: Pick<Catalogue, 'find'>,
): Promise<boolean> {
  if (!namesOneModel(id) || !access.allows(id)) return false;
  const found = await Promise.resolve(catalogue.find(id)).catch(() => undefined);
  const [target] = found?.targets ?? [];
  return found?.alias === undefined && target?.upstream.name === upstream && target.model === id;
}

/**
 * A credential can allow a model by the ID that callers use, or by the upstream's name and ID. It allows an alias
 * by its name only.
 */
function mayUse(
  access: CredentialAccess,
  id: string,
  { targets, isAlias }: Pick<CatalogueModel, 'targets' | 'isAlias'>,
): boolean {
  if (access.allows(id)) return true;
  return !isAlias && targets.some(({ upstream, model }) => access.allows(`${upstream.name}/${model}`));
}

function notAllowedError(id: string): HttpError {
  return modelRefusedError('model', id);
}
