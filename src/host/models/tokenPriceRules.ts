import { isObject } from '../../base/json.ts';
import type { TokenPrice } from '../../wire/apis/models/tokenPrice.ts';

/** The user's own price of the models whose id matches. */
export interface TokenPriceRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly price: TokenPrice;
}

const million = 1_000_000;

/**
 * Reads an entry of the setting, whose prices are for a million tokens.
 *
 * @returns undefined for an invalid entry
 */
export function readTokenPriceRule(entry: unknown): TokenPriceRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const { models, input, output, cachedInput, cacheWrite } = entry;
  if (!isPrice(input) || !isPrice(output)) return undefined;
  return {
    models,
    price: {
      ...{ input: input / million, output: output / million },
      ...(isPrice(cachedInput) && { cachedInput: cachedInput / million }),
      ...(isPrice(cacheWrite) && { cacheWrite: cacheWrite / million }),
    },
  };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
