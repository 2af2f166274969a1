import { isObject, type JsonObject } from '../../base/json.ts';
import { serviceTiers } from '../../wire/apis/models/serviceTier.ts';
import type { TokenPrice, TokenRates } from '../../wire/apis/models/tokenPrice.ts';

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
  const rates = readRates(entry);
  if (!rates) return undefined;
  const services = serviceTiers.flatMap((service) => {
    const own = readServiceRates(entry[service]);
    return own ? [[service, own] as const] : [];
  });
  const price = { ...rates, ...(services.length > 0 && { services: Object.fromEntries(services) }) };
  return { models: entry.models, price };
}

function readRates({
  input,
  output,
  cachedInput,
  cacheWrite,
  cacheWriteHour,
}: JsonObject): TokenRates | undefined {
  if (!isPrice(input) || !isPrice(output)) return undefined;
  return {
    ...{ input: input / million, output: output / million },
    ...(isPrice(cachedInput) && { cachedInput: cachedInput / million }),
    ...(isPrice(cacheWrite) && { cacheWrite: cacheWrite / million }),
    ...(isPrice(cacheWriteHour) && { cacheHour: cacheWriteHour / million }),
  };
}

/** In the user's own price, input from a cache costs what other input does, unless it is told apart. */
function readServiceRates(entry: unknown): TokenRates | undefined {
  const rates = isObject(entry) ? readRates(entry) : undefined;
  if (rates?.input === undefined) return undefined;
  return { cachedInput: rates.input, ...rates };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
