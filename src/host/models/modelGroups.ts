import type { Model } from '../../wire/apis/models/modelList.ts';

/** Models under one title. */
export interface ModelGroup {
  readonly kind: 'pinned' | 'recent' | 'owner';
  /** The owner, perhaps empty; of the other groups empty. */
  readonly owner: string;
  readonly models: readonly Model[];
}

/** What the user has to do with which models, by their ids. */
export interface Favourites {
  readonly pinned: readonly string[];
  readonly recent: readonly string[];
}

/** A list that is no longer is seen at a glance, and needs no second way to its models. */
const shortList = 10;

/** The pinned models, those used of late that are not pinned, and all models by their owner. No group is empty. */
export function modelGroups(models: readonly Model[], { pinned, recent }: Favourites): readonly ModelGroup[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  const listed = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  const used = models.length > shortList ? recent.filter((id) => !pinned.includes(id)) : [];
  const favourites: readonly ModelGroup[] = [
    { kind: 'pinned', owner: '', models: listed(pinned) },
    { kind: 'recent', owner: '', models: listed(used) },
  ];
  return [...favourites.filter((group) => group.models.length > 0), ...ownerGroups(models)];
}

/** As `modelGroups`, with each model in its first group only. */
export function modelsOnceGrouped(models: readonly Model[], favourites: Favourites): readonly ModelGroup[] {
  const shown = new Set<Model>();
  return modelGroups(models, favourites).flatMap((group) => {
    const others = group.models.filter((model) => !shown.has(model));
    for (const model of others) shown.add(model);
    return others.length > 0 ? [{ ...group, models: others }] : [];
  });
}

function ownerGroups(models: readonly Model[]): readonly ModelGroup[] {
  const byOwner = Map.groupBy(models, (model) => model.owner);
  const { compare } = new Intl.Collator();
  return [...byOwner]
    .sort(([a], [b]) => compare(a, b))
    .map(([owner, owned]) => ({ kind: 'owner', owner, models: owned }));
}

/** A row is this many characters wide in a view of 250 pixels. */
const narrow = 26;

/**
 * The labels of rows under one title, each telling its model from the others in a narrow view: the name where no
 * other model has it, else the id, without what all of them begin with if that is in the way.
 */
export function rowLabels(models: readonly Model[]): ReadonlyMap<Model, string> {
  const names = Map.groupBy(models, ({ id, name }) => name ?? id);
  const labels = models.map(({ id, name }) =>
    name !== undefined && names.get(name)?.length === 1 ? name : id,
  );
  const common = labels.some((label) => label.length > narrow) ? commonStart(labels).length : 0;
  return new Map(models.map((model, nth) => [model, labels[nth]?.slice(common) || model.id]));
}

/** What several labels begin with: whole folders of an id, or a maker's name with its colon. */
function commonStart(labels: readonly string[]): string {
  const [first = '', ...others] = labels;
  if (others.length === 0) return '';
  let length = first.length;
  for (const label of others) {
    let same = 0;
    while (same < length && label[same] === first[same]) same++;
    length = same;
  }
  return /^.*(?:\/|: )/.exec(first.slice(0, length))?.[0] ?? '';
}
