import { isObject, type JsonObject } from '../../../base/json.ts';

/** Prices of tokens, in US dollars for each. What is not told is absent, never 0. */
export interface TokenPrice {
  readonly input?: number;
  readonly output?: number;
  /** For input that the provider had cached. */
  readonly cachedInput?: number;
}

/**
 * Reads the prices of tokens from an element of a model list: OpenRouter's `pricing` (`prompt`, `completion`) and
 * Vercel's (`input`, `output`), decimal strings for each token, or LiteLLM's `input_cost_per_token`. Numbers under
 * `pricing` are for a million tokens at one provider and for one at another, so they tell nothing. Zeros for both
 * mean that nothing was declared.
 */
export function decodeTokenPrice(element: JsonObject): TokenPrice | undefined {
  const pricing = isObject(element.pricing) ? element.pricing : {};
  const costs = isObject(element.model_info) ? { ...element.model_info, ...element } : element;
  const input = decimal(pricing.prompt) ?? decimal(pricing.input) ?? amount(costs.input_cost_per_token);
  const output =
    decimal(pricing.completion) ?? decimal(pricing.output) ?? amount(costs.output_cost_per_token);
  const cachedInput = decimal(pricing.input_cache_read) ?? amount(costs.cache_read_input_token_cost);
  if (!input && !output) return undefined;
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cachedInput && { cachedInput }),
  };
}

function decimal(value: unknown): number | undefined {
  return typeof value === 'string' && value.trim() !== '' ? amount(value) : undefined;
}

/** The most that counts as the price of a token; more is one for another unit. */
const maxPrice = 0.01;

/** -1 stands for a price that varies. */
function amount(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const number = Number(value);
  return number >= 0 && number <= maxPrice ? number : undefined;
}
