import { createModelMatcher } from '../../base/modelPattern.ts';
import type { ListedModel, Upstream } from '../upstreams/upstream.ts';
import { demoName, type UpstreamConfig } from '../upstreams/upstreamConfig.ts';
import type { ModelListCache } from './modelListCache.ts';

/** An upstream with its list of models. */
export interface ModelSource {
  readonly upstream: Upstream;
  readonly list: ModelListCache;
  readonly filter: ModelFilter;
}

/** An upstream and one of its models. */
export interface ModelTarget {
  readonly upstream: Upstream;
  /** The upstream's own ID of the model. */
  readonly model: string;
}

/** A model with the ID that callers use. */
export interface TableModel extends ListedModel, ModelTarget {}

/**
 * Creates a map of all models that the upstreams list, in their order, by the IDs that callers use. The ID is the
 * upstream's own. If an earlier upstream has it, or if it begins with the name of an upstream, it is `name/id`. The
 * models of the demo are `demo/id`.
 *
 * @param reservedIds IDs that no model may have
 */
export function createModelTable(
  sources: readonly ModelSource[],
  reservedIds: { has(id: string): boolean },
): ReadonlyMap<string, TableModel> {
  const names = new Set(sources.map(({ upstream }) => upstream.name));
  const table = new Map<string, TableModel>();
  for (const { upstream, list, filter } of sources) {
    const models = list.models ?? [];
    const ownIds = new Set(models.map(({ id }) => id));
    const isFree = (id: string) => {
      if (upstream.name === demoName || reservedIds.has(id) || table.has(id)) return false;
      const [name, rest] = splitModelId(id);
      // An upstream may list IDs that begin with its own name.
      return !names.has(name) || (name === upstream.name && !ownIds.has(rest));
    };
    for (const model of models) {
      if (!filter.shows(model.id)) continue;
      const id = isFree(model.id) ? model.id : `${upstream.name}/${model.id}`;
      if (!table.has(id)) table.set(id, { ...model, id, upstream, model: model.id });
    }
  }
  return table;
}

/** Splits an ID at its first slash. The name is empty if there is no slash. */
export function splitModelId(id: string): readonly [name: string, rest: string] {
  const slash = id.indexOf('/');
  return slash < 0 ? ['', id] : [id.slice(0, slash), id.slice(slash + 1)];
}

/** Decides which models of an upstream are served, by the upstream's own IDs. */
interface ModelFilter {
  /** Whether the model is served at all, possibly only by an alias. */
  allows(model: string): boolean;
  /** Whether callers see the model and can use its own ID. */
  shows(model: string): boolean;
}

export function createModelFilter({ allow, hide = [] }: Pick<UpstreamConfig, 'allow' | 'hide'>): ModelFilter {
  const allowMatchers = allow?.map(createModelMatcher);
  const hideMatchers = hide.map(createModelMatcher);
  const allows = (model: string) => allowMatchers?.some((matches) => matches(model)) ?? true;
  return { allows, shows: (model) => allows(model) && !hideMatchers.some((matches) => matches(model)) };
}
