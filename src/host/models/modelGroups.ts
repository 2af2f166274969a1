import type { Model } from '../../wire/apis/models/modelList.ts';

/** Models under one title. */
export interface ModelGroup {
  readonly kind: 'pinned' | 'recent' | 'owner' | 'family' | 'hidden';
  /** The owner or the family; empty if it is unknown, and for the other kinds of groups. */
  readonly name: string;
  readonly models: readonly Model[];
}

/** The user's pinned and recent models, by their ids. */
interface Favourites {
  readonly pinned: readonly string[];
  readonly recent: readonly string[];
}

/** A list with at most this many models has no group of recent models. */
const shortListLength = 10;
/** A list with more models is too long to scan. */
export const longListLength = 60;

/**
 * The pinned models, the recent models without the pinned ones, and all models by their owner. A long list of a single
 * owner is grouped by families instead: relays often report themselves as the owner of all models. No group is empty.
 */
export function modelGroups(models: readonly Model[], { pinned, recent }: Favourites): readonly ModelGroup[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  const findListed = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  const shownRecent = models.length > shortListLength ? recent.filter((id) => !pinned.includes(id)) : [];
  const favourites: readonly ModelGroup[] = [
    { kind: 'pinned', name: '', models: findListed(pinned) },
    { kind: 'recent', name: '', models: findListed(shownRecent) },
  ];
  return [
    ...favourites.filter((group) => group.models.length > 0),
    ...(hasOneOwner(models) && models.length > longListLength ? familyGroups(models) : ownerGroups(models)),
  ];
}

/** Like `modelGroups`, with each model in its first group only. */
export function disjointModelGroups(models: readonly Model[], favourites: Favourites): readonly ModelGroup[] {
  const shownModels = new Set<Model>();
  return modelGroups(models, favourites).flatMap((group) => {
    const others = group.models.filter((model) => !shownModels.has(model));
    for (const model of others) shownModels.add(model);
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

/** Groups models by the first part of their ids. Models with a unique first part are in one group at the end. */
function familyGroups(models: readonly Model[]): readonly ModelGroup[] {
  const byFamily = Map.groupBy(models, ({ id }) => readFamily(id));
  const { compare } = new Intl.Collator();
  const families = [...byFamily].filter(([, members]) => members.length > 1);
  const others = models.filter(({ id }) => byFamily.get(readFamily(id))?.length === 1);
  return [
    ...families
      .sort(([a], [b]) => compare(a, b))
      .map(([name, members]): ModelGroup => ({ kind: 'family', name, models: members })),
    ...(others.length > 0 ? [{ kind: 'family', name: '', models: others } as const] : []),
  ];
}

/** The part of an id before a slash, or else its first word, such as `gpt` of `gpt-4o`. */
function readFamily(id: string): string {
  const slash = id.indexOf('/');
  return slash > 0 ? id.slice(0, slash) : (/^[^-_:.\s\d]+/.exec(id)?.[0].toLowerCase() ?? '');
}

/** The number of visible characters in a view of 250 pixels. */
const narrowRowLength = 26;

/**
 * The labels of the rows of a group: the name if no other model has it, or else the id. If a label does not fit into a
 * narrow view, the common start of all labels is removed.
 */
export function rowLabels(models: readonly Model[]): ReadonlyMap<Model, string> {
  const names = Map.groupBy(models, ({ id, name }) => name ?? id);
  const labels = models.map(({ id, name }) =>
    name !== undefined && names.get(name)?.length === 1 ? name : id,
  );
  const common = labels.some((label) => label.length > narrowRowLength) ? commonStart(labels).length : 0;
  return new Map(models.map((model, index) => [model, labels[index]?.slice(common) || model.id]));
}

/** The common start of several labels, up to a slash or a colon. Empty for a single label. */
function commonStart(labels: readonly string[]): string {
  const [first = '', ...others] = labels;
  if (others.length === 0) return '';
  let length = first.length;
  for (const label of others) {
    let sameLength = 0;
    while (sameLength < length && label[sameLength] === first[sameLength]) sameLength++;
    length = sameLength;
  }
  return /^.*(?:\/|: )/.exec(first.slice(0, length))?.[0] ?? '';
}
