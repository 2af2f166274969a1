import { isObject, type JsonObject } from '../../../base/json.ts';
import { type ServiceTier, serviceTiers } from './serviceTier.ts';

/** Prices in US dollars per token. Unreported prices are absent, never 0. */
export interface TokenRates {
  readonly input?: number;
  readonly output?: number;
  /** For input that the provider had cached. */
  readonly cachedInput?: number;
  /** For input that the provider writes to its cache. */
  readonly cacheWrite?: number;
  /** For input that the provider caches for an hour. */
  readonly cacheHour?: number;
  /** For the reasoning tokens within the output. */
  readonly reasoning?: number;
}

/** The rates of all tokens of a request whose input is longer than `above`. */
export interface PriceTier extends TokenRates {
  /** In tokens. */
  readonly above: number;
}

/** The rates of one service tier. */
export interface ServicePrice extends TokenRates {
  /** The smallest first. A missing rate is inherited from the tier below. */
  readonly tiers?: readonly PriceTier[];
}

/** The rates of the standard service tier, and of other tiers with prices of their own. */
export interface TokenPrice extends ServicePrice {
  readonly services?: { readonly [Tier in ServiceTier]?: ServicePrice };
}

/** Anthropic's public factors of the input price for writing to its cache, for five minutes and for an hour. */
const [cacheWriteFactor, cacheHourFactor] = [1.25, 2];

/**
 * The price with rates for cache writes. Most lists omit them, but requests mark prompts of these models for caches.
 * Prices of other models do not change: their factors are not known.
 */
export function addCacheWriteRates(model: string, price: TokenPrice): TokenPrice {
  if (!/claude/i.test(model)) return price;
  const { services, ...standard } = price;
  const serviceEntries = Object.entries(services ?? {}).map(([tier, each]) => [tier, addToTiers(each)]);
  return { ...addToTiers(standard), ...(services && { services: Object.fromEntries(serviceEntries) }) };
}

function addToTiers({ tiers, ...rates }: ServicePrice): ServicePrice {
  return { ...addWriteRates(rates), ...(tiers && { tiers: tiers.map(addWriteRates) }) };
}

function addWriteRates<Rates extends TokenRates>(rates: Rates): Rates {
  const { input } = rates;
  if (input === undefined) return rates;
  return { cacheWrite: input * cacheWriteFactor, cacheHour: input * cacheHourFactor, ...rates };
}

/** The suffixes of LiteLLM's price names for each service tier. */
export const serviceSuffixes: Readonly<Record<ServiceTier, string>> = {
  flex: '_flex',
  priority: '_priority',
  batch: '_batches',
};

/**
 * Reads the prices of tokens from an element of a model list: OpenRouter's `pricing` (`prompt`, `completion`) and
 * Vercel's (`input`, `output`), decimal strings for each token; LiteLLM's `input_cost_per_token`, with suffixes
 * like `_above_200k_tokens` for tiers and then `_flex`, `_priority` or `_batches` for services; or `cost` of
 * models.dev, in dollars for a million. Numbers under `pricing` are ignored: some providers list prices per token,
 * others per million. If both prices are zero, no price was declared.
 */
export function decodeTokenPrice(element: JsonObject): TokenPrice | undefined {
  if (hasTooManyNames(element) || (isObject(element.model_info) && hasTooManyNames(element.model_info)))
    return undefined;
  const pricing = isObject(element.pricing) ? element.pricing : {};
  const costs = isObject(element.model_info) ? { ...element.model_info, ...element } : element;
  const modelsDev = isObject(element.cost) ? element.cost : {};
  const listedRates = readRates(costs, '');
  const rates = {
    input:
      readDecimal(pricing.prompt) ??
      readDecimal(pricing.input) ??
      listedRates.input ??
      readPerMillion(modelsDev.input),
    output:
      readDecimal(pricing.completion) ??
      readDecimal(pricing.output) ??
      listedRates.output ??
      readPerMillion(modelsDev.output),
    cachedInput:
      readDecimal(pricing.input_cache_read) ||
      listedRates.cachedInput ||
      readPerMillion(modelsDev.cache_read),
    cacheWrite:
      readDecimal(pricing.input_cache_write) ||
      listedRates.cacheWrite ||
      readPerMillion(modelsDev.cache_write),
    cacheHour: readDecimal(pricing.input_cache_write_1h) || listedRates.cacheHour,
    reasoning:
      readDecimal(pricing.internal_reasoning) || listedRates.reasoning || readPerMillion(modelsDev.reasoning),
  };
  if ((!rates.input && !rates.output) || hasOtherTiers(costs, pricing)) return undefined;
  const tiers = [...readTiers(costs, ''), ...readModelsDevTier(modelsDev)];
  const services = readServices(costs);
  return {
    ...keepKnownRates(rates),
    ...(tiers.length > 0 && { tiers }),
    ...(services.length > 0 && { services: Object.fromEntries(services) }),
  };
}

/**
 * Whether the other prices apply only partly, because of LiteLLM's `tiered_pricing` or OpenRouter's `overrides`,
 * which are not read.
 */
function hasOtherTiers({ tiered_pricing: tieredPricing }: JsonObject, { overrides }: JsonObject): boolean {
  return [tieredPricing, overrides].some((list) => Array.isArray(list) && list.length > 0);
}

/** LiteLLM writes about 100 names. An element with too many has no price: reading it would block the caller. */
const maxNames = 500;

function hasTooManyNames(element: JsonObject): boolean {
  return Object.keys(element).length > maxNames;
}

function readServices(costs: JsonObject): readonly (readonly [ServiceTier, ServicePrice])[] {
  return serviceTiers.flatMap((service) => {
    const suffix = serviceSuffixes[service];
    const rates = dropZeroRates(readRates(costs, suffix));
    if (rates.input === undefined && rates.output === undefined) return [];
    const tiers = readTiers(costs, suffix);
    return [[service, { ...rates, ...(tiers.length > 0 && { tiers }) }] as const];
  });
}

type Rates = { readonly [Name in keyof TokenRates]: TokenRates[Name] | undefined };

/** The rates under LiteLLM's names with the suffix of a tier or a service. */
function readRates(costs: JsonObject, suffix: string): Rates {
  return {
    input: readAmount(costs[`input_cost_per_token${suffix}`]),
    output: readAmount(costs[`output_cost_per_token${suffix}`]),
    cachedInput: readAmount(costs[`cache_read_input_token_cost${suffix}`]),
    cacheWrite: readAmount(costs[`cache_creation_input_token_cost${suffix}`]),
    cacheHour: readAmount(costs[`cache_creation_input_token_cost_above_1hr${suffix}`]),
    reasoning: readAmount(costs[`output_cost_per_reasoning_token${suffix}`]),
  };
}

/** The known rates, without zeros except for input and output. */
function keepKnownRates({ input, output, cachedInput, cacheWrite, cacheHour, reasoning }: Rates): TokenRates {
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

/** @param service the suffix of the service's price names */
function readTiers(costs: JsonObject, service: string): readonly PriceTier[] {
  const suffixes = new Map<string, number>();
  for (const name of Object.keys(costs)) {
    if (!name.endsWith(service)) continue;
    const [, suffix, thousands] = tierName.exec(name.slice(0, name.length - service.length)) ?? [];
    if (suffix !== undefined && suffixes.size < maxTiers) suffixes.set(suffix, Number(thousands) * 1000);
  }
  return [...suffixes]
    .flatMap(([suffix, above]) => createTier(above, readRates(costs, suffix + service)))
    .sort((one, other) => one.above - other.above);
}

/** The price tier of models.dev, which has only one. */
function readModelsDevTier({ context_over_200k: over }: JsonObject): readonly PriceTier[] {
  if (!isObject(over)) return [];
  return createTier(200_000, {
    input: readPerMillion(over.input),
    output: readPerMillion(over.output),
    cachedInput: readPerMillion(over.cache_read),
    cacheWrite: readPerMillion(over.cache_write),
    cacheHour: undefined,
    reasoning: readPerMillion(over.reasoning),
  });
}

function createTier(above: number, listed: Rates): readonly PriceTier[] {
  const rates = dropZeroRates(listed);
  return Object.keys(rates).length > 0 ? [{ above, ...rates }] : [];
}

/** The rates without zeros. Except for the standard rates, 0 means that no price was declared. */
function dropZeroRates({ input, output, ...others }: Rates): TokenRates {
  return keepKnownRates({ input: input || undefined, output: output || undefined, ...others });
}

function readDecimal(value: unknown): number | undefined {
  return typeof value === 'string' && value.trim() !== '' ? readAmount(value) : undefined;
}

function readPerMillion(value: unknown): number | undefined {
  return typeof value === 'number' ? readAmount(value / 1_000_000) : undefined;
}

/** The accepted prices of a token. Other prices are in another unit. The cheapest models cost 10 times the minimum. */
const [minPrice, maxPrice] = [1e-10, 0.01];

function readAmount(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  return isTokenPrice(number) ? number : undefined;
}

/** Whether a number can be the price of one token. -1 means a variable price. */
export function isTokenPrice(price: number): boolean {
  return price === 0 || (price >= minPrice && price <= maxPrice);
}
