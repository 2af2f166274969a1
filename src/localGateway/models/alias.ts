import { sameJson } from '../../base/json.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** The configuration of an alias. */
export interface AliasRules {
  readonly name: string;
  /** Each as `name/id`. */
  readonly models: readonly string[];
  readonly strategy?: 'fallback' | 'round-robin' | 'weighted' | undefined;
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly nextOnServerError?: boolean | undefined;
  readonly nextAfterSeconds?: number | undefined;
}

/** A name for one or several models. It tracks which model is tried first for the next request. */
export class Alias {
  readonly rules: AliasRules;
  readonly #weights: readonly number[];
  /** How far each model is below its share of the requests, in weights. */
  readonly #deficits: number[];

  constructor(rules: AliasRules) {
    const { models, strategy, weights } = rules;
    this.rules = rules;
    this.#weights = models.map((model) => (strategy === 'weighted' && weights?.[model]) || 1);
    this.#deficits = models.map(() => 0);
  }

  /**
   * Returns the indexes of the models, starting at 0, in the order of the attempts of one request. Each call
   * advances the turn: with weights 2 and 1 the first indexes are 0, 1, 0, and so on.
   */
  takeTurn(): readonly number[] {
    const indexes = this.#weights.map((_, i) => i);
    if ((this.rules.strategy ?? 'fallback') === 'fallback') return indexes;
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    for (const [i, weight] of this.#weights.entries()) this.#deficits[i] = (this.#deficits[i] ?? 0) + weight;
    const first = this.#deficits.indexOf(Math.max(...this.#deficits));
    this.#deficits[first] = (this.#deficits[first] ?? 0) - total;
    return [...indexes.slice(first), ...indexes.slice(0, first)];
  }
}

/** Creates the list entry of an alias, with the members that all its models share. */
export function createAliasModel(name: string, models: readonly ListedModel[]): ListedModel {
  const [first, ...others] = models;
  if (!first) return { id: name, owner: '' };
  const { entry, ...facts } = first;
  const common = selectSharedMembers(
    facts,
    others.map(({ entry: _, ...other }) => other),
  );
  const sharedEntry =
    entry &&
    selectSharedMembers(
      entry,
      others.map((other) => other.entry ?? {}),
    );
  return { ...common, id: name, owner: common.owner ?? '', ...(sharedEntry && { entry: sharedEntry }) };
}

function selectSharedMembers<Members extends object>(
  first: Members,
  others: readonly object[],
): Partial<Members> {
  const isShared = ([name, value]: [string, unknown]) =>
    others.every((other) => sameJson(value, Reflect.get(other, name)));
  return Object.fromEntries(Object.entries(first).filter(isShared)) as Partial<Members>;
}
