import { sameJson } from '../../base/json.ts';
import type { ListedModel } from '../upstreams/upstream.ts';

/** What an alias says of the models that it names. */
export interface AliasRules {
  readonly name: string;
  /** Each as `name/id`. */
  readonly models: readonly string[];
  readonly strategy?: 'fallback' | 'round-robin' | 'weighted' | undefined;
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly nextOnServerError?: boolean | undefined;
  readonly nextAfterSeconds?: number | undefined;
}

/** A name for one model or several, which knows whose turn it is. */
export class Alias {
  readonly rules: AliasRules;
  readonly #weights: readonly number[];
  /** What each model is short of its share. */
  readonly #due: number[];

  constructor(rules: AliasRules) {
    const { models, strategy, weights } = rules;
    this.rules = rules;
    this.#weights = models.map((model) => (strategy === 'weighted' && weights?.[model]) || 1);
    this.#due = models.map(() => 0);
  }

  /**
   * The places of its models, beginning with 0, in the order in which one request asks them. The turn goes on with
   * each call: with weights 2 and 1 the first places are 0, 1, 0, and again.
   */
  take(): readonly number[] {
    const places = this.#weights.map((_, i) => i);
    if ((this.rules.strategy ?? 'fallback') === 'fallback') return places;
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    for (const [i, weight] of this.#weights.entries()) this.#due[i] = (this.#due[i] ?? 0) + weight;
    const first = this.#due.indexOf(Math.max(...this.#due));
    this.#due[first] = (this.#due[first] ?? 0) - total;
    return [...places.slice(first), ...places.slice(0, first)];
  }
}

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
