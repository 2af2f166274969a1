import { hasCompleteCounts, isUnbilled } from '../conversation/joinedResult.ts';
import type { RestoredMessage } from '../conversation/messages.ts';

/** The sum over the replies of a chat, on all branches. */
export interface ChatCost {
  readonly usd: number;
  /** The number of replies in the sum. */
  readonly pricedCount: number;
  readonly unpricedCount: number;
  /** Whether gateways charged all of it. */
  readonly isCharged: boolean;
  /** Whether a reply in it ended early, so that it may have cost more. */
  readonly isLowerBound: boolean;
}

/**
 * The cost of a chat's replies so far. Texts by the user, and requests that failed without cost, are not
 * counted.
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
