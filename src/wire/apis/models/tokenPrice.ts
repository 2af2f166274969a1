import { isObject, type JsonObject } from '../../../base/json.ts';
import { type ServiceTier, serviceTiers } from './serviceTier.ts';

/** Prices of tokens, in US dollars for each. What is not told is absent, never 0. */
export interface TokenRates {
  readonly input?: number;
  readonly output?: number;
  /** For input that the provider had cached. */
  readonly cachedInput?: number;
  /** For input that the provider writes to its cache. */
  readonly cacheWrite?: number;
  /** For input that stays in its cache for an hour. */
  readonly cacheHour?: number;
  /** For the reasoning within the output. */
  readonly reasoning?: number;
}

/** The rates of all tokens of a request whose input is longer than `above`. */
export interface PriceTier extends TokenRates {
  /** In tokens. */
  readonly above: number;
}

/** The rates of one way to process a request. */
export interface ServicePrice extends TokenRates {
  /** By their sizes, the smallest first. A rate that a tier lacks is that of the tier below. */
  readonly tiers?: readonly PriceTier[];
}

/** The rates of the standard way to process a request, and of others that have their own. */
export interface TokenPrice extends ServicePrice {
  readonly services?: { readonly [Tier in ServiceTier]?: ServicePrice };
}

/** What follows LiteLLM's names of the rates of a service. */
export const serviceSuffixes: Readonly<Record<ServiceTier, string>> = {
  flex: '_flex',
  priority: '_priority',
  batch: '_batches',
};

/**
 * Reads the prices of tokens from an element of a model list: OpenRouter's `pricing` (`prompt`, `completion`) and
 * Vercel's (`input`, `output`), decimal strings for each token; LiteLLM's `input_cost_per_token`, with suffixes like
 * `_above_200k_tokens` for tiers and then `_flex`, `_priority` or `_batches` for services; or `cost` of models.dev, in dollars for a million. Numbers under `pricing` are for
 * a million tokens at one provider and for one at another, so they tell nothing. Zeros for both mean that nothing
 * was declared.
 */
export function decodeTokenPrice(element: JsonObject): TokenPrice | undefined {
  if (hasTooMany(element) || (isObject(element.model_info) && hasTooMany(element.model_info)))
    return undefined;
  const pricing = isObject(element.pricing) ? element.pricing : {};
  const costs = isObject(element.model_info) ? { ...element.model_info, ...element } : element;
  const millions = isObject(element.cost) ? element.cost : {};
  const listed = ratesOf(costs, '');
  const rates = {
    input: decimal(pricing.prompt) ?? decimal(pricing.input) ?? listed.input ?? perMillion(millions.input),
    output:
      decimal(pricing.completion) ?? decimal(pricing.output) ?? listed.output ?? perMillion(millions.output),
    cachedInput: decimal(pricing.input_cache_read) || listed.cachedInput || perMillion(millions.cache_read),
    cacheWrite: decimal(pricing.input_cache_write) || listed.cacheWrite || perMillion(millions.cache_write),
    cacheHour: decimal(pricing.input_cache_write_1h) || listed.cacheHour,
    reasoning: decimal(pricing.internal_reasoning) || listed.reasoning || perMillion(millions.reasoning),
  };
  if ((!rates.input && !rates.output) || hasOtherTiers(costs, pricing)) return undefined;
  const tiers = [...tiersOf(costs, ''), ...tierOfMillions(millions)];
  const services = servicesOf(costs);
  return {
    ...declared(rates),
    ...(tiers.length > 0 && { tiers }),
    ...(services.length > 0 && { services: Object.fromEntries(services) }),
  };
}

/** LiteLLM's `tiered_pricing` and OpenRouter's `overrides`, which are not read: the other prices hold for a part. */
function hasOtherTiers({ tiered_pricing: tiered }: JsonObject, { overrides }: JsonObject): boolean {
  return [tiered, overrides].some((list) => Array.isArray(list) && list.length > 0);
}

/** LiteLLM writes about 100. More tell no price, and reading them would block whoever asks. */
const maxNames = 500;

function hasTooMany(element: JsonObject): boolean {
  return Object.keys(element).length > maxNames;
}

function servicesOf(costs: JsonObject): readonly (readonly [ServiceTier, ServicePrice])[] {
  return serviceTiers.flatMap((service) => {
    const suffix = serviceSuffixes[service];
    const rates = nonZero(ratesOf(costs, suffix));
    if (rates.input === undefined && rates.output === undefined) return [];
    const tiers = tiersOf(costs, suffix);
    return [[service, { ...rates, ...(tiers.length > 0 && { tiers }) }] as const];
  });
}

type Rates = { readonly [Name in keyof TokenRates]: TokenRates[Name] | undefined };

/** LiteLLM's names, with what follows them in a tier or for a service. */
function ratesOf(costs: JsonObject, suffix: string): Rates {
  return {
    input: amount(costs[`input_cost_per_token${suffix}`]),
    output: amount(costs[`output_cost_per_token${suffix}`]),
    cachedInput: amount(costs[`cache_read_input_token_cost${suffix}`]),
    cacheWrite: amount(costs[`cache_creation_input_token_cost${suffix}`]),
    cacheHour: amount(costs[`cache_creation_input_token_cost_above_1hr${suffix}`]),
    reasoning: amount(costs[`output_cost_per_reasoning_token${suffix}`]),
  };
}

/** What is 0 besides a side of the pair was not declared. */
function declared({ input, output, cachedInput, cacheWrite, cacheHour, reasoning }: Rates): TokenRates {
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cachedInput && { cachedInput }),
    ...(cacheWrite && { cacheWrite }),
    ...(cacheHour && { cacheHour }),
    ...(reasoning && { reasoning }),
  };
}

const tierName = /_token(?:_cost)?(_above_([1-9]\d{0,5})k_tokens)$/;
const maxTiers = 16;

/** @param service what follows the names of its tiers */
function tiersOf(costs: JsonObject, service: string): readonly PriceTier[] {
  const suffixes = new Map<string, number>();
  for (const name of Object.keys(costs)) {
    if (!name.endsWith(service)) continue;
    const [, suffix, thousands] = tierName.exec(name.slice(0, name.length - service.length)) ?? [];
    if (suffix !== undefined && suffixes.size < maxTiers) suffixes.set(suffix, Number(thousands) * 1000);
  }
  return [...suffixes]
    .flatMap(([suffix, above]) => tier(above, ratesOf(costs, suffix + service)))
    .sort((one, other) => one.above - other.above);
}

/** The one tier of models.dev. */
function tierOfMillions({ context_over_200k: over }: JsonObject): readonly PriceTier[] {
  if (!isObject(over)) return [];
  return tier(200_000, {
    input: perMillion(over.input),
    output: perMillion(over.output),
    cachedInput: perMillion(over.cache_read),
    cacheWrite: perMillion(over.cache_write),
    cacheHour: undefined,
    reasoning: perMillion(over.reasoning),
  });
}

function tier(above: number, listed: Rates): readonly PriceTier[] {
  const rates = nonZero(listed);
  return Object.keys(rates).length > 0 ? [{ above, ...rates }] : [];
}

/** What is 0 beside the standard rates was not declared. */
function nonZero({ input, output, ...others }: Rates): TokenRates {
  return declared({ input: input || undefined, output: output || undefined, ...others });
}

function decimal(value: unknown): number | undefined {
  return typeof value === 'string' && value.trim() !== '' ? amount(value) : undefined;
}

function perMillion(value: unknown): number | undefined {
  return typeof value === 'number' ? amount(value / 1_000_000) : undefined;
}

/** The most that counts as the price of a token; more is one for another unit. */
const maxPrice = 0.01;

/** -1 stands for a price that varies. */
function amount(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  return number >= 0 && number <= maxPrice ? number : undefined;
}
