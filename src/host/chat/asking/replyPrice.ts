import type { ReplyPrice } from '../../../conversations/cost/replyCost.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { modelMatches } from '../../models/modelPattern.ts';
import type { TokenPriceRule } from '../../models/tokenPriceRules.ts';

interface PriceSources {
  /** The user's own prices; the first match counts. */
  readonly rules: readonly TokenPriceRule[];
  /** The models that the gateway lists. */
  readonly models: readonly Model[];
}

/**
 * The price of a model: the user's own, else what its gateway lists.
 *
 * @param answered the model as the gateway called it, which one that only chooses among others leaves to tell
 */
export function replyPrice(
  { rules, models }: PriceSources,
  asked: string,
  answered: string | undefined,
): ReplyPrice | undefined {
  const rule = rules.find((each) => modelMatches(asked, each.models));
  if (rule) return { tokens: rule.price, source: 'user-price' };
  for (const id of [asked, answered]) {
    const { tokenPrice, price } = models.find((model) => model.id === id) ?? {};
    if (tokenPrice) return { tokens: tokenPrice, perRequest: price?.perRequest, source: 'listed-price' };
  }
  return undefined;
}
