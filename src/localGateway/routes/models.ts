import { headerPresets } from '../../wire/headerNames.ts';
import { type Route, routes } from '../../wire/routes.ts';
import { HttpError } from '../http/httpError.ts';
import { doNotRetry } from '../http/nothingMade.ts';
import { modelId } from '../http/requestBody.ts';
import {
  type Catalogue,
  type CatalogueModel,
  type UnavailableUpstream,
  unknownModel,
} from '../models/catalogue.ts';
import { catalogueFor } from '../server/allowedModels.ts';
import type { Answer, GatewayRequest, ServedRoute } from '../server/handler.ts';
import { providerRoutes } from '../server/providerRoutes.ts';
import {
  generationModels,
  type ModelFormat,
  messagesModels,
  plainModels,
  type ServedModel,
} from './modelFormats.ts';

/**
 * Serves the list of models, or one, in the format that the caller's client library reads. A list names the
 * upstreams that could not be asked, of which it holds what they listed before.
 */
export function modelRoutes(catalogue: Catalogue): readonly ServedRoute[] {
  const { readModel, listGenerationModels, readGenerationModel } = providerRoutes;

  async function list(request: GatewayRequest, format: ModelFormat): Promise<object> {
    const { models, unavailable } = await catalogueFor(catalogue, request).list();
    // An empty list would mean that there are no models, though no upstream could be asked.
    if (models.length === 0 && unavailable.length > 0) throw nothingListed(unavailable);
    const page = format.list(models.map(served), request.query);
    if (unavailable.length === 0) return page;
    return { ...page, unavailable: unavailable.map(({ upstream, reason }) => ({ upstream, reason })) };
  }

  async function read(request: GatewayRequest, format: ModelFormat): Promise<object> {
    const { publisher, model = '' } = request.params;
    const name = publisher === undefined ? model : `${publisher}/${model}`;
    const { models, unavailable } = await catalogueFor(catalogue, request).list();
    const found = models.find(({ id }) => id === name) ?? models.find(({ id }) => id === modelId(name));
    if (found) return format.describe(served(found));
    const [place] = (await catalogue.find(modelId(name))).places;
    const named = models.find(
      ({ places: [at], isAlias }) => !isAlias && at?.upstream === place.upstream && at.model === place.model,
    );
    if (named) return format.describe(served({ ...named, id: modelId(name) }));
    // To whom a model is not allowed, there is none.
    if (!request.access.allows(modelId(name))) throw unknownModel(name);
    const missing = unavailable.filter((each) => each.upstream === place.upstream.name);
    throw missing.length > 0 ? nothingListed(missing) : unknownModel(name);
  }

  return [
    inFormat(routes.listModels, list),
    inFormat(listGenerationModels, list),
    inFormat(readModel, read),
    inFormat(readGenerationModel, read),
  ];
}

function served({ places, isAlias, ...model }: CatalogueModel): ServedModel {
  const writes = places.some((place) => place.upstream.formatsOf(place.model).includes('contentGeneration'));
  const counts = places.some(({ upstream }) => upstream.countTokens || upstream.sendCount);
  const methods = ['generateContent', 'streamGenerateContent', ...(counts ? ['countTokens'] : [])];
  const names = places.map(({ upstream, model: own }) => ({ upstream: upstream.name, own }));
  return {
    ...model,
    methods: writes ? methods : [],
    ...(isAlias
      ? { aliasOf: names.map(({ upstream, own }) => `${upstream}/${own}`) }
      : names[0] && { upstream: names[0].upstream }),
  };
}

/** Answers in the format of the caller, errors included. */
function inFormat(
  route: Route,
  answer: (request: GatewayRequest, format: ModelFormat) => Promise<object>,
): ServedRoute {
  return {
    route,
    answer: async (request): Promise<Answer> => ({ json: await answer(request, formatOf(request)) }),
    errorGroup: (request) => formatOf(request).group,
  };
}

/** Three providers list models under one path: the caller's headers tell whose client it is. */
function formatOf({ route, headers }: GatewayRequest): ModelFormat {
  const sends = (name: keyof (typeof headerPresets)['interface']) =>
    Object.values(headerPresets).some((preset) => headers[preset[name]] !== undefined);
  if (/^\/v1beta1?\//.test(route.path)) return generationModels;
  if (sends('vendorVersion')) return messagesModels;
  return sends('vendorApiKey') && headers.authorization === undefined ? generationModels : plainModels;
}

function nothingListed(unavailable: readonly UnavailableUpstream[]): HttpError {
  const isLasting = unavailable.every((each) => each.isLasting);
  const isRefused = unavailable.every(({ code }) => code === 'upstream_credential');
  return new HttpError({
    status: isLasting ? 424 : 502,
    message: unavailable.map(({ reason }) => reason).join(' '),
    type: 'upstream_error',
    code: isRefused ? 'upstream_credential' : 'upstream_model_list',
    headers: isLasting ? doNotRetry : {},
  });
}
