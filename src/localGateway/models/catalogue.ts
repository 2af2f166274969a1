import { HttpError, invalidRequest } from '../http/httpError.ts';
import type { ListedModel, Upstream, VideoUpstream } from '../upstreams/upstream.ts';
import { demoName } from '../upstreams/upstreamFields.ts';
import { type Alias, type AliasRules, listedAlias } from './alias.ts';
import type { ListFailure } from './keptList.ts';
import { type ModelPlace, type ModelSource, modelTable, splitName, type TableModel } from './modelTable.ts';

/** An upstream that could not list its models, with the reason. */
export interface UnavailableUpstream extends ListFailure {
  readonly upstream: string;
  /** Whether the models that it listed before are in the list. */
  readonly isListed: boolean;
}

/** A model of the list. */
export interface CatalogueModel extends ListedModel {
  /** Where it is asked; several places of an alias, none where it names what is not served. */
  readonly places: readonly ModelPlace[];
  /** Whether it is a name for others. */
  readonly isAlias: boolean;
  /** Whether no upstream of it could be asked since it listed the model. */
  readonly isStale: boolean;
}

export interface Listing {
  readonly models: readonly CatalogueModel[];
  readonly unavailable: readonly UnavailableUpstream[];
}

/** What a model's id leads to. */
export interface FoundModel {
  /** Where it is asked: one place, or those of an alias in the order of the configuration; at least one. */
  readonly places: readonly [ModelPlace, ...ModelPlace[]];
  /** Absent where the id is that of a model. */
  readonly alias?: AliasRules;
  /** The places in the order in which one request asks them. The turn of an alias goes on with each call. */
  take(): readonly [ModelPlace, ...ModelPlace[]];
}

export interface Catalogue {
  /**
   * Lists all models, the aliases and the demo's first. It asks all upstreams at once and never rejects: of an upstream that
   * fails, its last list is in the result, and why it failed.
   */
  list(): Promise<Listing>;
  /**
   * Finds where a model is asked, at once where no upstream has to be asked for its list. No turn of an alias is taken.
   *
   * @throws {HttpError} 404 when there is none, 503 when an upstream that may have it could not list its models
   */
  find(id: string): FoundModel | Promise<FoundModel>;
  /**
   * The part of an upstream that makes videos with a model.
   *
   * @param id the model as the caller wrote it
   * @throws {HttpError} 400 when it makes no videos
   */
  requireVideo(place: ModelPlace, id: string): VideoUpstream;
  /** The upstream of a name; undefined where there is none any more. */
  upstreamOf(name: string): Upstream | undefined;
  /** The part of an upstream that makes videos, by the upstream's name. */
  videoOf(upstream: string): VideoUpstream | undefined;
  close(): Promise<void>;
}

/**
 * Creates the catalogue. An id is an upstream's own where no other upstream lists it first, and `name/id` always
 * leads to the upstream of that name, whether it lists the id or not. A single configured upstream is asked for
 * every id. An alias goes before all of them.
 *
 * @param sources in the order in which they keep an id that several have
 */
export function createCatalogue(sources: readonly ModelSource[], aliases: readonly Alias[] = []): Catalogue {
  const isDemo = ({ upstream }: ModelSource) => upstream.name === demoName;
  const all = [...sources.filter(isDemo), ...sources.filter((source) => !isDemo(source))];
  const byName = new Map(all.map((source) => [source.upstream.name, source]));
  const configured = all.filter((source) => !isDemo(source));
  const only = configured.length === 1 ? configured[0] : undefined;
  const byAlias = new Map(aliases.map((alias) => [alias.rules.name, alias]));
  let kept: { readonly version: number; readonly table: ReadonlyMap<string, TableModel> } | undefined;

  function table(): ReadonlyMap<string, TableModel> {
    const version = all.reduce((sum, { list }) => sum + list.version, 0);
    if (kept?.version !== version) kept = { version, table: modelTable(all, byAlias) };
    return kept.table;
  }

  function placesOf({ rules }: Alias): readonly ModelPlace[] {
    return rules.models.flatMap((each) => {
      const [name, model] = splitName(each);
      const source = byName.get(name);
      return source?.filter.allows(model) ? [{ upstream: source.upstream, model }] : [];
    });
  }

  function find(id: string): FoundModel | Promise<FoundModel> {
    const alias = byAlias.get(id);
    if (alias) return foundAlias(alias, placesOf(alias));
    const [name] = splitName(id);
    const named = byName.get(name);
    if (named?.list.isKnown) return foundPlace(placeIn(named, id));
    if (named) return named.list.known().then(() => foundPlace(placeIn(named, id)));
    return only ? foundPlace(placeAt(only, id, id)) : findListed(id).then(foundPlace);
  }

  /** The place of an id that begins with the name of an upstream, which may list ids that begin so. */
  function placeIn(source: ModelSource, id: string): ModelPlace {
    const [, rest] = splitName(id);
    return table().get(id) ?? placeAt(source, rest, id);
  }

  /** Finds an id that leads to its upstream by the lists alone. */
  async function findListed(id: string): Promise<ModelPlace> {
    if (!configured.every(({ list }) => list.isKnown)) await every((list) => list.known());
    for (const { list } of configured) list.use();
    const found = table().get(id);
    if (found) return found;
    await every((list) => list.search());
    const appeared = table().get(id);
    if (appeared) return appeared;
    const silent = configured.filter(({ list }) => list.models === undefined);
    throw silent.length > 0 ? unknownWhile(id, silent) : unknownModel(id);
  }

  /** What an upstream lists of a model; nothing where it does not. */
  function modelAt({ upstream, model }: ModelPlace): readonly ListedModel[] {
    const found = byName.get(upstream.name)?.list.models?.find(({ id }) => id === model);
    return found ? [found] : [];
  }

  async function every(ask: (list: ModelSource['list']) => Promise<void>): Promise<void> {
    await Promise.all(configured.map(({ list }) => ask(list)));
  }

  return {
    async list() {
      await Promise.all(all.map(({ list }) => list.refresh()));
      const unavailable = all.flatMap(({ upstream, list: { failure, models } }) =>
        failure ? [{ upstream: upstream.name, ...failure, isListed: models !== undefined }] : [],
      );
      const failing = new Set(unavailable.map(({ upstream }) => upstream));
      const isStale = (places: readonly ModelPlace[]) =>
        places.length > 0 && places.every(({ upstream }) => failing.has(upstream.name));
      const listed = (model: ListedModel, places: readonly ModelPlace[], isAlias: boolean) => ({
        ...{ ...model, places, isAlias },
        isStale: isStale(places),
      });
      const models = [
        ...aliases.map((alias) => {
          const places = placesOf(alias);
          return listed(listedAlias(alias.rules.name, places.flatMap(modelAt)), places, true);
        }),
        ...[...table().values()].map(({ upstream, model, ...facts }) =>
          listed(facts, [{ upstream, model }], false),
        ),
      ];
      return { models, unavailable };
    },

    find,

    requireVideo({ upstream: { video }, model }, id) {
      if (video?.models.includes(model)) return video;
      const makers = all.flatMap(({ upstream: { name, video } }) =>
        (video?.models ?? []).map((other) => `${name}/${other}`),
      );
      throw makesNoVideos(id, makers);
    },

    upstreamOf: (name) => byName.get(name)?.upstream,
    videoOf: (name) => byName.get(name)?.upstream.video,

    async close() {
      await Promise.all(all.map(({ upstream }) => upstream.close()));
    },
  };
}

function foundPlace(place: ModelPlace): FoundModel {
  const places: FoundModel['places'] = [place];
  return { places, take: () => places };
}

function foundAlias(alias: Alias, places: readonly ModelPlace[]): FoundModel {
  const { rules } = alias;
  const [first, ...others] = places;
  if (!first) throw unknownModel(rules.name);
  const all = [first, ...others] as const;
  return {
    alias: rules,
    places: [...all],
    take() {
      // What is not served leaves its turn to those that are.
      const [next = first, ...rest] = alias.take().flatMap((i) => all.find(isAt(rules.models[i])) ?? []);
      return [next, ...rest];
    },
  };
}

function isAt(id: string | undefined): (place: ModelPlace) => boolean {
  return ({ upstream, model }) => `${upstream.name}/${model}` === id;
}

function placeAt({ upstream, filter }: ModelSource, model: string, id: string): ModelPlace {
  if (model === '' || !filter.shows(model)) throw unknownModel(id);
  return { upstream, model };
}

export function unknownModel(id: string): HttpError {
  return new HttpError({
    status: 404,
    message: `This local gateway has no model "${id.slice(0, 100)}". GET /v1/models lists the ids to use.`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  });
}

/** Nobody lists the model, and an upstream that may have it has never told its models. */
function unknownWhile(id: string, silent: readonly ModelSource[]): HttpError {
  const names = silent.map(({ upstream }) => `'${upstream.name}'`).join(' and ');
  const [first] = silent;
  return new HttpError({
    status: 503,
    message: `No upstream lists the model "${id.slice(0, 100)}", and the models of ${names} could not be listed: ${first?.list.failure?.reason ?? ''} Write ${first?.upstream.name}/ before the id to ask that upstream all the same.`,
    type: 'upstream_error',
    param: 'model',
    code: 'upstream_model_list',
    neverSent: true,
  });
}

function makesNoVideos(id: string, makers: readonly string[]): HttpError {
  const others =
    makers.length > 0 ? `Choose ${makers.join(' or ')}.` : 'No model of this local gateway does.';
  return invalidRequest(`"${id.slice(0, 100)}" makes no videos. ${others}`, 'unsupported_model', 'model');
}
