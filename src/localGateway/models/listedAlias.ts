import { sameJson } from '../../base/json.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** An alias as a model of the list: what its models have in common is said of it. */
export function listedAlias(name: string, models: readonly ListedModel[]): ListedModel {
  const [first, ...others] = models;
  if (!first) return { id: name, owner: '' };
  const { entry, ...facts } = first;
  const common = sharedMembers(
    facts,
    others.map(({ entry: _, ...other }) => other),
  );
  const shared =
    entry &&
    sharedMembers(
      entry,
      others.map((other) => other.entry ?? {}),
    );
  return { ...common, id: name, owner: common.owner ?? '', ...(shared && { entry: shared }) };
}

function sharedMembers<Members extends object>(first: Members, others: readonly object[]): Partial<Members> {
  const isShared = ([name, value]: [string, unknown]) =>
    others.every((other) => sameJson(value, Reflect.get(other, name)));
  return Object.fromEntries(Object.entries(first).filter(isShared)) as Partial<Members>;
}
