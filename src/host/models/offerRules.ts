import { isObject } from '../../base/json.ts';
import { modelMatcher } from '../../base/modelPattern.ts';

/** Whether VS Code's own chat offers the models whose id matches. */
export interface OfferRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly offered: boolean;
}

/**
 * Reads an entry of the setting.
 *
 * @returns undefined for an invalid entry
 */
export function readOfferRule(entry: unknown): OfferRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const { models, offered } = entry;
  return typeof offered === 'boolean' ? { models, offered } : undefined;
}

/** Returns what tells by its id whether a model is offered; undefined where no rule says so. The first match counts. */
export function offeredBy(rules: readonly OfferRule[]): (model: string) => boolean | undefined {
  const matched = rules.map(({ models, offered }) => ({ offered, matches: modelMatcher(models) }));
  return (model) => matched.find(({ matches }) => matches(model))?.offered;
}
