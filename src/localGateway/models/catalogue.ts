import { HttpError, invalidRequestError } from '../http/httpError.ts';
import type { ListedModel, Upstream, VideoUpstream } from '../upstreams/upstream.ts';
import { demoName } from '../upstreams/upstreamConfig.ts';
import { type Alias, type AliasRules, createAliasModel } from './alias.ts';
import type { ListFailure } from './modelListCache.ts';
import {
  createModelTable,
  type ModelSource,
  type ModelTarget,
  splitModelId,
  type TableModel,
} from './modelTable.ts';

/** An upstream that could not list its models, with the reason. */
export interface UnavailableUpstream extends ListFailure {
  readonly upstream: string;
}

/** A listed model. */
export interface CatalogueModel extends ListedModel {
  /** The targets of the model: several for an alias, none if it names only models that are not served. */
  readonly targets: readonly ModelTarget[];
  /** Whether the model is an alias. */
  readonly isAlias: boolean;
  /** Whether all upstreams of the model failed since they listed it. */
  readonly isStale: boolean;
}

export interface Listing {
  readonly models: readonly CatalogueModel[];
  readonly unavailable: readonly UnavailableUpstream[];
}

/** The result of a lookup by model ID. */
export interface FoundModel {
  /** One target, or the targets of an alias in the order of the configuration; at least one. */
  readonly targets: readonly [ModelTarget, ...ModelTarget[]];
  /** Absent if the ID is not an alias. */
  readonly alias?: AliasRules;
  /** Returns the targets in the order of the attempts of one request. Each call advances the turn of an alias. */
  takeTargets(): readonly [ModelTarget, ...ModelTarget[]];
}

export interface Catalogue {
  /**
   * Lists all models: first the aliases, then the models of the demo, then all others. It requests all lists at
   * once and never rejects: for an upstream that fails, the result has its last list and the reason of the failure.
   */
  list(): Promise<Listing>;
  /**
   * Finds the targets of a model, synchronously if no upstream has to list its models first. The turn of an
   * alias does not advance.
   *
   * @throws {HttpError} 404 if no upstream has the model, 503 if an upstream that may have it could not list its
   * models
   */
  find(id: string): FoundModel | Promise<FoundModel>;
  /**
   * Returns the part of an upstream that makes videos.
   *
   * @param id the model as the caller wrote it
   * @throws {HttpError} 400 if the model does not make videos
   */
  requireVideo(target: ModelTarget, id: string): VideoUpstream;
  /** Finds an upstream by its name; undefined if it is no longer configured. */
  findUpstream(name: string): Upstream | undefined;
  /** Finds the part of an upstream that makes videos, by the upstream's name. */
  findVideo(upstream: string): VideoUpstream | undefined;
  close(): Promise<void>;
}

/**
 * Creates the catalogue. An ID belongs to the first upstream that lists it, and `name/id` always belongs to the
 * upstream with that name, whether it lists the ID or not. If only one upstream is configured, it serves every ID.
 * Aliases have priority over all of them.
 *
 * @param sources in the order of their priority for an ID that several of them have
 */
export function createCatalogue(sources: readonly ModelSource[], aliases: readonly Alias[] = []): Catalogue {
  const isDemo = ({ upstream }: ModelSource) => upstream.name === demoName;
  const allSources = [...sources.filter(isDemo), ...sources.filter((source) => !isDemo(source))];
  const byName = new Map(allSources.map((source) => [source.upstream.name, source]));
  const configuredSources = allSources.filter((source) => !isDemo(source));
  const onlySource = configuredSources.length === 1 ? configuredSources[0] : undefined;
  const byAlias = new Map(aliases.map((alias) => [alias.rules.name, alias]));
  let cachedTable: { readonly version: number; readonly table: ReadonlyMap<string, TableModel> } | undefined;

  function readTable(): ReadonlyMap<string, TableModel> {
    const version = allSources.reduce((sum, { list }) => sum + list.version, 0);
    if (cachedTable?.version !== version)
      cachedTable = { version, table: createModelTable(allSources, byAlias) };
    return cachedTable.table;
  }

  function findAliasTargets({ rules }: Alias): readonly ModelTarget[] {
    return rules.models.flatMap((each) => {
      const [name, model] = splitModelId(each);
      const source = byName.get(name);
      return source?.filter.allows(model) ? [{ upstream: source.upstream, model }] : [];
    });
  }

  function find(id: string): FoundModel | Promise<FoundModel> {
    const alias = byAlias.get(id);
    if (alias) return createFoundAlias(alias, findAliasTargets(alias));
    const [name] = splitModelId(id);
    const namedSource = byName.get(name);
    if (namedSource?.list.wasRequested) return createFoundTarget(findTargetByName(namedSource, id));
    if (namedSource)
      return namedSource.list
        .ensureRequested()
        .then(() => createFoundTarget(findTargetByName(namedSource, id)));
    return onlySource
      ? createFoundTarget(requireShownTarget(onlySource, id, id))
      : findListed(id).then(createFoundTarget);
  }

  /** Finds the target of an ID that begins with an upstream's name. The upstream's own IDs may also begin with it. */
  function findTargetByName(source: ModelSource, id: string): ModelTarget {
    const [, rest] = splitModelId(id);
    return readTable().get(id) ?? requireShownTarget(source, rest, id);
  }

  /** Finds a model in the lists of all upstreams. If no list contains it, requests the lists again. */
  async function findListed(id: string): Promise<ModelTarget> {
    if (!configuredSources.every(({ list }) => list.wasRequested))
      await forEachList((list) => list.ensureRequested());
    for (const { list } of configuredSources) list.refreshIfOld();
    const found = readTable().get(id);
    if (found) return found;
    await forEachList((list) => list.search());
    const newModel = readTable().get(id);
    if (newModel) return newModel;
    const unlisted = configuredSources.filter(({ list }) => list.models === undefined);
    throw unlisted.length > 0 ? unlistedModelError(id, unlisted) : unknownModelError(id);
  }

  /** Finds the upstream's list entry for a model; empty if it does not list the model. */
  function findListEntry({ upstream, model }: ModelTarget): readonly ListedModel[] {
    const found = byName.get(upstream.name)?.list.find(model);
    return found ? [found] : [];
  }

  async function forEachList(action: (list: ModelSource['list']) => Promise<void>): Promise<void> {
    await Promise.all(configuredSources.map(({ list }) => action(list)));
  }

  return {
    async list() {
      await Promise.all(allSources.map(({ list }) => list.refresh()));
      const unavailable = allSources.flatMap(({ upstream, list: { failure } }) =>
        failure ? [{ upstream: upstream.name, ...failure }] : [],
      );
      const failing = new Set(unavailable.map(({ upstream }) => upstream));
      const createListed = (model: ListedModel, targets: readonly ModelTarget[], isAlias: boolean) => ({
        ...model,
        targets,
        isAlias,
        isStale: targets.length > 0 && targets.every(({ upstream }) => failing.has(upstream.name)),
      });
      const models = [
        ...aliases.map((alias) => {
          const targets = findAliasTargets(alias);
          return createListed(
            createAliasModel(alias.rules.name, targets.flatMap(findListEntry)),
            targets,
            true,
          );
        }),
        ...[...readTable().values()].map(({ upstream, model, ...facts }) =>
          createListed(facts, [{ upstream, model }], false),
        ),
      ];
      return { models, unavailable };
    },

    find,

    requireVideo({ upstream: { video }, model }, id) {
      if (video?.models.includes(model)) return video;
      const makers = allSources.flatMap(({ upstream: { name, video } }) =>
        (video?.models ?? []).map((other) => `${name}/${other}`),
      );
      throw unsupportedVideoError(id, makers);
    },

    findUpstream: (name) => byName.get(name)?.upstream,
    findVideo: (name) => byName.get(name)?.upstream.video,

    async close() {
      await Promise.all(allSources.map(({ upstream }) => upstream.close()));
    },
  };
}

function createFoundTarget(target: ModelTarget): FoundModel {
  const targets: FoundModel['targets'] = [target];
  return { targets, takeTargets: () => targets };
}

function createFoundAlias(alias: Alias, targets: readonly ModelTarget[]): FoundModel {
  const { rules } = alias;
  const [first, ...others] = targets;
  if (!first) throw unknownModelError(rules.name);
  return {
    alias: rules,
    targets: [first, ...others],
    takeTargets() {
      // If the model of this turn is not served, the next served model has its turn.
      const [next = first, ...rest] = alias
        .takeTurn()
        .flatMap((i) => targets.find(matchesId(rules.models[i])) ?? []);
      return [next, ...rest];
    },
  };
}

function matchesId(id: string | undefined): (target: ModelTarget) => boolean {
  return ({ upstream, model }) => `${upstream.name}/${model}` === id;
}

/** @throws {HttpError} 404 if the upstream does not show the model */
function requireShownTarget({ upstream, filter }: ModelSource, model: string, id: string): ModelTarget {
  if (model === '' || !filter.shows(model)) throw unknownModelError(id);
  return { upstream, model };
}

export function unknownModelError(id: string): HttpError {
  return new HttpError({
    status: 404,
    message: `This local gateway has no model "${id.slice(0, 100)}". GET /v1/models lists the ids to use.`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  });
}

/** The error for an unlisted model while an upstream that may have it has never listed its models. */
function unlistedModelError(id: string, unlisted: readonly ModelSource[]): HttpError {
  const names = unlisted.map(({ upstream }) => `'${upstream.name}'`).join(' and ');
  const [first] = unlisted;
  return new HttpError({
    status: 503,
    message: `No upstream lists the model "${id.slice(0, 100)}", and the models of ${names} could not be listed: ${first?.list.failure?.reason ?? ''} To send the request anyway, write ${first?.upstream.name}/ before the id.`,
    type: 'upstream_error',
    param: 'model',
    code: 'upstream_model_list',
    neverSent: true,
  });
}

function unsupportedVideoError(id: string, makers: readonly string[]): HttpError {
  const others = makers.length > 0 ? `Use ${makers.join(' or ')}.` : 'No model of this local gateway can.';
  return invalidRequestError(
    `"${id.slice(0, 100)}" cannot make videos. ${others}`,
    'unsupported_model',
    'model',
  );
}
