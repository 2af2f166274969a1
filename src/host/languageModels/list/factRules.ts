import { isObject, nonEmptyString } from '../../../base/json.ts';
import { modelMatcher } from '../../../base/modelPattern.ts';

/** What VS Code is told of a model. What nobody knows is absent. */
export interface ToldFacts {
  /** The model's real family, by which VS Code chooses its instructions. */
  readonly family?: string;
  /** Tokens of the prompt and its reply together. */
  readonly contextLength?: number;
  /** Tokens of the reply. */
  readonly maxOutput?: number;
  /** Whether it calls tools; a number for at most so many at once. */
  readonly tools?: boolean | number;
  readonly pictures?: boolean;
  readonly reasoning?: boolean;
}

/** The user's own word on the models whose id matches. */
export interface FactRule {
  readonly models: string;
  readonly facts: ToldFacts;
}

/**
 * Reads an entry of the setting, without its invalid facts.
 *
 * @returns undefined for an entry that names no models, or nothing of them
 */
export function readFactRule(entry: unknown): FactRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const { contextLength, maxOutput, tools, pictures, reasoning } = entry;
  const family = nonEmptyString(entry.family);
  const facts: ToldFacts = {
    ...(family !== undefined && { family }),
    ...(isCount(contextLength) && { contextLength }),
    ...(isCount(maxOutput) && { maxOutput }),
    ...((typeof tools === 'boolean' || isCount(tools)) && { tools }),
    ...(typeof pictures === 'boolean' && { pictures }),
    ...(typeof reasoning === 'boolean' && { reasoning }),
  };
  return Object.keys(facts).length === 0 ? undefined : { models: entry.models, facts };
}

/** Returns what tells the user's own facts of a model. For each fact the first match that has it counts. */
export function factsBy(rules: readonly FactRule[]): (model: string) => ToldFacts {
  // Those that count more are written last.
  const matched = rules.map(({ models, facts }) => ({ facts, matches: modelMatcher(models) })).toReversed();
  return (model) => {
    const all: { -readonly [Name in keyof ToldFacts]: ToldFacts[Name] } = {};
    for (const { facts, matches } of matched) if (matches(model)) Object.assign(all, facts);
    return all;
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
