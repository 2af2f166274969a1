import { isObject, type JsonObject } from '../base/json.ts';
import type { ReplyHeaders } from '../base/replyHeaders.ts';

/** The highest accepted cost of one reply, in US dollars. Higher values are in another unit. */
const maxCost = 100_000;

const ticksPerDollar = 1e10;

/**
 * Reads the reported cost of a reply, in US dollars, from the object with its token counts; undefined if it is not
 * reported. OpenRouter has `cost`, and for a key of the user's own (`is_byok`) also the provider's charge for that
 * key, in `cost_details.upstream_inference_cost`. LiteLLM adds the same `cost` to the usage of streams, in every
 * format. Perplexity's `cost` is an object with `total_cost`. xAI counts in ticks, `cost_in_usd_ticks`; a dollar
 * is 10^10 ticks.
 */
export function readReportedCost(usage: JsonObject): number | undefined {
  const { cost, cost_details: details, cost_in_usd_ticks: ticks } = usage;
  const total = readDollars(isObject(cost) ? cost.total_cost : cost);
  if (total === undefined) {
    const tickCount = readNumber(ticks);
    return tickCount === undefined ? undefined : readDollars(tickCount / ticksPerDollar);
  }
  const ownKey = usage.is_byok === true && isObject(details) ? details.upstream_inference_cost : undefined;
  return readDollars(total + (readDollars(ownKey) ?? 0));
}

/**
 * Reads the cost of a reply from its headers, in US dollars. LiteLLM's header precedes a stream, whose cost is not
 * known yet: some versions send 0 then, so 0 is ignored.
 */
export function readHeaderCost(headers: ReplyHeaders): number | undefined {
  return readDollars(headers['x-litellm-response-cost']) || undefined;
}

function readDollars(value: unknown): number | undefined {
  const amount = readNumber(value);
  return amount !== undefined && amount >= 0 && amount <= maxCost ? amount : undefined;
}

/** Some relays write numbers as strings. */
function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !decimalNumber.test(value.trim())) return undefined;
  return Number(value);
}

const decimalNumber = /^\d{1,20}(?:\.\d{1,40})?(?:e-?\d{1,3})?$/i;
