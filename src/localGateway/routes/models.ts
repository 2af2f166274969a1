import { headerPresets } from '../../wire/headerNames.ts';
import { type Route, routes } from '../../wire/routes.ts';
import { doNotRetry, HttpError } from '../http/httpError.ts';
import { normalizeModelId } from '../http/requestBody.ts';
import {
  type Catalogue,
  type CatalogueModel,
  type UnavailableUpstream,
  unknownModelError,
} from '../models/catalogue.ts';
import type { ModelTarget } from '../models/modelTable.ts';
import { limitCatalogue } from '../server/allowedModels.ts';
import type { GatewayRequest, HandlerResponse, ServedRoute } from '../server/routeHandler.ts';
import { providerRoutes } from '../server/servedRoutes.ts';
import {
  generationModels,
  type ModelFormat,
  messagesModels,
  plainModels,
  type ServedModel,
} from './modelFormats.ts';

/**
 * Serves the list of models, or one model, in the format that the caller's client library reads. A list names the
 * upstreams that failed, and contains the models of their last lists.
 */
export function createModelRoutes(catalogue: Catalogue): readonly ServedRoute[] {
  const { readModel, listGenerationModels, readGenerationModel } = providerRoutes;

  async function list(request: GatewayRequest, format: ModelFormat): Promise<object> {
    const { models, unavailable } = await limitCatalogue(catalogue, request).list();
    // An empty list would mean that there are no models, although all upstreams failed.
    if (models.length === 0 && unavailable.length > 0) throw nothingListedError(unavailable);
    const page = format.list(models.map(createServedModel), request.query);
    if (unavailable.length === 0) return page;
    return { ...page, unavailable: unavailable.map(({ upstream, reason }) => ({ upstream, reason })) };
  }

  async function read(request: GatewayRequest, format: ModelFormat): Promise<object> {
    const { publisher, model = '' } = request.params;
    const name = publisher === undefined ? model : `${publisher}/${model}`;
    const { models, unavailable } = await limitCatalogue(catalogue, request).list();
    const found =
      models.find(({ id }) => id === name) ?? models.find(({ id }) => id === normalizeModelId(name));
    if (found) return format.describe(createServedModel(found));
    const [target] = (await catalogue.find(normalizeModelId(name))).targets;
    const listedModel = models.find(
      ({ targets: [first], isAlias }) =>
        !isAlias && first?.upstream === target.upstream && first.model === target.model,
    );
    if (listedModel)
      return format.describe(createServedModel({ ...listedModel, id: normalizeModelId(name) }));
    // A model that the caller may not use is reported as unknown.
    if (!request.access.allows(normalizeModelId(name))) throw unknownModelError(name);
    const missing = unavailable.filter((each) => each.upstream === target.upstream.name);
    throw missing.length > 0 ? nothingListedError(missing) : unknownModelError(name);
  }

  return [
    createFormatRoute(routes.listModels, list),
    createFormatRoute(listGenerationModels, list),
    createFormatRoute(readModel, read),
    createFormatRoute(readGenerationModel, read),
  ];
}

function createServedModel({ targets, isAlias, ...model }: CatalogueModel): ServedModel {
  const generatesContent = targets.some((target) =>
    target.upstream.listFormats(target.model).includes('contentGeneration'),
  );
  const countsTokens = targets.some(({ upstream }) => upstream.countTokens || upstream.sendCount);
  const methods = ['generateContent', 'streamGenerateContent', ...(countsTokens ? ['countTokens'] : [])];
  // Clients send the cache key only if the list reports that it is accepted, because most servers refuse it.
  const isCacheKeyAccepted = targets.length > 0 && targets.every(acceptsCacheKey);
  const names = targets.map(({ upstream, model: own }) => ({ upstream: upstream.name, own }));
  return {
    ...model,
    ...(isCacheKeyAccepted && { acceptsCacheKey: true }),
    methods: generatesContent ? methods : [],
    ...(isAlias
      ? { aliasOf: names.map(({ upstream, own }) => `${upstream}/${own}`) }
      : names[0] && { upstream: names[0].upstream }),
  };
}

/** Whether an upstream accepts `prompt_cache_key` in one of OpenAI's formats. */
function acceptsCacheKey({ upstream, model }: ModelTarget): boolean {
  return upstream
    .listFormats(model)
    .filter((format) => format === 'chatCompletions' || format === 'responses')
    .some((format) => upstream.findCacheSupport?.(format, model).acceptsKey === true);
}

/** Creates a route that replies in the format of the caller, including errors. */
function createFormatRoute(
  route: Route,
  handle: (request: GatewayRequest, format: ModelFormat) => Promise<object>,
): ServedRoute {
  return {
    route,
    handle: async (request): Promise<HandlerResponse> => ({
      json: await handle(request, selectFormat(request)),
    }),
    findErrorGroup: (request) => selectFormat(request).group,
  };
}

/** Selects the format by the caller's headers, because three providers list models at the same path. */
function selectFormat({ route, headers }: GatewayRequest): ModelFormat {
  const hasHeader = (name: keyof (typeof headerPresets)['interface']) =>
    Object.values(headerPresets).some((preset) => headers[preset[name]] !== undefined);
  if (/^\/v1beta1?\//.test(route.path)) return generationModels;
  if (hasHeader('vendorVersion')) return messagesModels;
  return hasHeader('vendorApiKey') && headers.authorization === undefined ? generationModels : plainModels;
}

function nothingListedError(unavailable: readonly UnavailableUpstream[]): HttpError {
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
