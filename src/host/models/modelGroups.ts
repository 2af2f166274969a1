import type { Model } from '../../wire/apis/models/modelList.ts';

/** Models under one title. */
export interface ModelGroup {
  readonly kind: 'pinned' | 'recent' | 'owner' | 'family' | 'hidden';
  /** The owner, perhaps empty; the family, empty for models that have none; of the other groups empty. */
  readonly name: string;
  readonly models: readonly Model[];
}

/** What the user has to do with which models, by their ids. */
export interface Favourites {
  readonly pinned: readonly string[];
  readonly recent: readonly string[];
}

/** A list that is no longer is seen at a glance, and needs no second way to its models. */
const shortList = 10;
/** The most models that are taken in at once. */
export const longList = 60;

/**
 * The pinned models, those used of late that are not pinned, and all models by their owner. Relays often name
 * themselves as the owner of all: a long list is grouped by families then. No group is empty.
 */
export function modelGroups(models: readonly Model[], { pinned, recent }: Favourites): readonly ModelGroup[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  const listed = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  const used = models.length > shortList ? recent.filter((id) => !pinned.includes(id)) : [];
  const favourites: readonly ModelGroup[] = [
    { kind: 'pinned', name: '', models: listed(pinned) },
    { kind: 'recent', name: '', models: listed(used) },
  ];
  return [
    ...favourites.filter((group) => group.models.length > 0),
    ...(hasOneOwner(models) && models.length > longList ? familyGroups(models) : ownerGroups(models)),
  ];
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
    .map(([name, owned]) => ({ kind: 'owner', name, models: owned }));
}

export function hasOneOwner(models: readonly Model[]): boolean {
  return models.every(({ owner }) => owner === models[0]?.owner);
}

/** Groups models by what their ids begin with; last those that are alone with it. */
function familyGroups(models: readonly Model[]): readonly ModelGroup[] {
  const byFamily = Map.groupBy(models, ({ id }) => familyOf(id));
  const { compare } = new Intl.Collator();
  const families = [...byFamily].filter(([, members]) => members.length > 1);
  const others = models.filter(({ id }) => byFamily.get(familyOf(id))?.length === 1);
  return [
    ...families
      .sort(([a], [b]) => compare(a, b))
      .map(([name, members]): ModelGroup => ({ kind: 'family', name, models: members })),
    ...(others.length > 0 ? [{ kind: 'family', name: '', models: others } as const] : []),
  ];
}

/** The maker's folder in an id, else its first word, such as `gpt` of `gpt-4o`. */
function familyOf(id: string): string {
  const slash = id.indexOf('/');
  return slash > 0 ? id.slice(0, slash) : (/^[^-_:.\s\d]+/.exec(id)?.[0].toLowerCase() ?? '');
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
