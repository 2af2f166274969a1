import type { ChatResult } from '../../client/types.ts';
import { findServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { calculateTokenCost } from '../../wire/apis/models/tokenCost.ts';
import type { TokenPrice } from '../../wire/apis/models/tokenPrice.ts';
import type { CostRecord } from '../conversation/conversationRecord.ts';

/** The price of a model's replies, and its source. */
export interface ReplyPrice {
  readonly tokens: TokenPrice;
  /** Added for each request, in US dollars. */
  readonly perRequest?: number | undefined;
  readonly source: 'user-price' | 'listed-price';
}

/**
 * The cost of a reply: the amount that its gateway reported, else an estimate by price.
 *
 * @returns undefined if it is unknown, which differs from zero
 */
export function computeReplyCost(
  { costUsd, usage, serviceTier }: Pick<ChatResult, 'costUsd' | 'usage' | 'serviceTier'>,
  price: ReplyPrice | undefined,
): CostRecord | undefined {
  if (costUsd !== undefined) return { usd: costUsd, source: 'gateway' };
  const service = findServiceTier(serviceTier);
  if (!price || !usage || !service) return undefined;
  const usd = calculateTokenCost(usage, price.tokens, service);
  return usd === undefined ? undefined : { usd: usd + (price.perRequest ?? 0), source: price.source };
}
