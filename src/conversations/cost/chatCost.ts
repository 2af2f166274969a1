import { isWhole, madeNothing } from '../conversation/joinedResult.ts';
import type { RestoredMessage } from '../conversation/restoredMessage.ts';

/** The sum over the replies of a chat, on all branches. */
export interface ChatCost {
  readonly usd: number;
  /** How many replies the sum holds. */
  readonly priced: number;
  readonly unpriced: number;
  /** Whether gateways charged all of it. */
  readonly isCharged: boolean;
  /** Whether a reply in it did not come to its end, so that it may have cost more. */
  readonly isLeast: boolean;
}

/** What the replies of a chat cost so far. What the user wrote, and what failed before it cost, does not count. */
export function chatCost(messages: readonly RestoredMessage[]): ChatCost {
  const results = messages.flatMap(({ content }) =>
    'text' in content || content.editOf !== undefined || madeNothing(content.result) ? [] : content.result,
  );
  const priced = results.filter(({ cost }) => cost !== undefined);
  return {
    usd: priced.reduce((sum, { cost }) => sum + (cost?.usd ?? 0), 0),
    priced: priced.length,
    unpriced: results.length - priced.length,
    isCharged: priced.every(({ cost }) => cost?.source === 'gateway'),
    isLeast: priced.some((result) => !isWhole(result)),
  };
}
