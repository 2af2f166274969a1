import { isObject } from '../../base/json.ts';
import { type ModelUse, modelUse } from '../../wire/apis/models/modelUse.ts';

/** What the models are for whose id matches. */
export interface UseRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly use: ModelUse;
}

/**
 * Reads an entry of the setting.
 *
 * @returns undefined for an invalid entry
 */
export function readUseRule(entry: unknown): UseRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const use = modelUse(entry.use);
  return use && { models: entry.models, use };
}
