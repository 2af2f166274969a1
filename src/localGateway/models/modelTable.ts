import { modelMatcher } from '../../base/modelPattern.ts';
import type { ListedModel, Upstream } from '../upstreams/upstream.ts';
import { demoName } from '../upstreams/upstreamFields.ts';
import type { KeptList } from './keptList.ts';

/** An upstream with what is known of its models. */
export interface ModelSource {
  readonly upstream: Upstream;
  readonly list: KeptList;
  readonly filter: ModelFilter;
}

/** Where a model is asked. */
export interface ModelPlace {
  readonly upstream: Upstream;
  /** The upstream's own id of the model. */
  readonly model: string;
}

/** A model as the gateway lists it, by the id that callers write. */
export interface TableModel extends ListedModel, ModelPlace {}

/**
 * All models that the upstreams list, in their order, by the ids that callers write. An id is the upstream's own
 * where no earlier upstream has it and where it does not begin with the name of an upstream, else `name/id`. The
 * models of the demo are `demo/id`.
 *
 * @param taken ids that no model may have
 */
export function modelTable(
  sources: readonly ModelSource[],
  taken: { has(id: string): boolean },
): ReadonlyMap<string, TableModel> {
  const names = new Set(sources.map(({ upstream }) => upstream.name));
  const table = new Map<string, TableModel>();
  for (const { upstream, list, filter } of sources) {
    const models = list.models ?? [];
    const own = new Set(models.map(({ id }) => id));
    const isFree = (id: string) => {
      if (upstream.name === demoName || taken.has(id) || table.has(id)) return false;
      const [name, rest] = splitName(id);
      // An upstream may list ids that begin with its own name.
      return !names.has(name) || (name === upstream.name && !own.has(rest));
    };
    for (const model of models) {
      if (!filter.shows(model.id)) continue;
      const id = isFree(model.id) ? model.id : `${upstream.name}/${model.id}`;
      if (!table.has(id)) table.set(id, { ...model, id, upstream, model: model.id });
    }
  }
  return table;
}

/** What stands before the first slash of an id, and after it; nothing before it where there is none. */
export function splitName(id: string): readonly [name: string, rest: string] {
  const slash = id.indexOf('/');
  return slash < 0 ? ['', id] : [id.slice(0, slash), id.slice(slash + 1)];
}

/** Which models of an upstream are served, by the upstream's own ids. */
interface ModelFilter {
  /** Whether it is served at all, if only by an alias. */
  allows(model: string): boolean;
  /** Whether callers see it, and may ask for it by its own id. */
  shows(model: string): boolean;
}

/** @param patterns in which `*` stands for any text */
export function modelFilter({
  allow,
  hide = [],
}: {
  readonly allow?: readonly string[] | undefined;
  readonly hide?: readonly string[] | undefined;
}): ModelFilter {
  const allowed = allow?.map(modelMatcher);
  const hidden = hide.map(modelMatcher);
  const allows = (model: string) => allowed?.some((matches) => matches(model)) ?? true;
  return { allows, shows: (model) => allows(model) && !hidden.some((matches) => matches(model)) };
}
