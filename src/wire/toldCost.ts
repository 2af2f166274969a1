import { isObject, type JsonObject } from '../base/json.ts';
import type { ReplyHeaders } from './retryHint.ts';

/** The most that counts as the cost of one reply, in US dollars; more is a sum in another unit. */
const maxCost = 100_000;

const ticksPerDollar = 1e10;

/**
 * What a gateway says that a reply cost, in US dollars, from the object with its token counts; undefined when it
 * does not say. OpenRouter has `cost`, and with a key of the user's own (`is_byok`) beside it what the provider
 * charged for that key, in `cost_details.upstream_inference_cost`. LiteLLM adds the same `cost` to the usage of
 * streams, in every format. Perplexity's `cost` is an object with `total_cost`. xAI counts in ticks,
 * `cost_in_usd_ticks`, of which 10^10 are a dollar.
 */
export function toldCost(usage: JsonObject): number | undefined {
  const { cost, cost_details: details, cost_in_usd_ticks: ticks } = usage;
  const total = dollars(isObject(cost) ? cost.total_cost : cost);
  if (total === undefined) {
    const counted = number(ticks);
    return counted === undefined ? undefined : dollars(counted / ticksPerDollar);
  }
  const ownKey = usage.is_byok === true && isObject(details) ? details.upstream_inference_cost : undefined;
  return dollars(total + (dollars(ownKey) ?? 0));
}

/**
 * What the headers of a reply say that it cost, in US dollars. LiteLLM's header precedes a stream, whose cost is
 * not known yet: some versions send 0 then, so 0 tells nothing.
 */
export function headerCost(headers: ReplyHeaders): number | undefined {
  return dollars(headers['x-litellm-response-cost']) || undefined;
}

function dollars(value: unknown): number | undefined {
  const amount = number(value);
  return amount !== undefined && amount >= 0 && amount <= maxCost ? amount : undefined;
}

/** Some relays write numbers as strings. */
function number(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !decimalNumber.test(value.trim())) return undefined;
  return Number(value);
}

const decimalNumber = /^\d{1,20}(?:\.\d{1,40})?(?:e-?\d{1,3})?$/i;
