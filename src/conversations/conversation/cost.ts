import type { ChatResult } from '../../client/types.ts';
import { findServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { calculateTokenCost } from '../../wire/apis/models/tokenCost.ts';
import type { TokenPrice } from '../../wire/apis/models/tokenPrice.ts';
import type { CostRecord } from './conversationRecord.ts';
import { hasCompleteCounts, isUnbilled } from './joinedResult.ts';
import type { RestoredMessage } from './messages.ts';

/** The price of a model's replies, and its source. */
export interface ReplyPrice {
  readonly tokens: TokenPrice;
  /** Added for each request, in US dollars. */
  readonly perRequest?: number | undefined;
  readonly source: 'user-price' | 'listed-price';
}

/**
 * Computes the cost of a reply: the amount that its gateway reported, or else an estimate by price.
 *
 * @returns undefined if the cost is unknown, which differs from zero
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

/** The sum over the replies of a chat, on all branches. */
export interface ChatCost {
  readonly usd: number;
  /** The number of replies in the sum. */
  readonly pricedCount: number;
  readonly unpricedCount: number;
  /** Whether gateways reported all costs in the sum, so that none of them is an estimate. */
  readonly isCharged: boolean;
  /** Whether a reply in the sum ended early, so that the reply may have cost more. */
  readonly isLowerBound: boolean;
}

/**
 * Sums up the costs of a chat's replies so far. Texts by the user, and requests that failed without cost, are
 * not counted.
 */
export function sumChatCost(messages: readonly RestoredMessage[]): ChatCost {
  const results = messages.flatMap(({ content }) =>
    'text' in content || content.editOf !== undefined || isUnbilled(content.result) ? [] : content.result,
  );
  const priced = results.filter(({ cost }) => cost !== undefined);
  return {
    usd: priced.reduce((sum, { cost }) => sum + (cost?.usd ?? 0), 0),
    pricedCount: priced.length,
    unpricedCount: results.length - priced.length,
    isCharged: priced.every(({ cost }) => cost?.source === 'gateway'),
    isLowerBound: priced.some((result) => !hasCompleteCounts(result)),
  };
}
