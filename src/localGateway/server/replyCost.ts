import {
  fromBillionths,
  isPlausibleCost,
  type SpentAmount,
  toSpentAmount,
} from '../../storage/spending/spendingLimit.ts';
import type { ServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { calculateTokenCost, hasService } from '../../wire/apis/models/tokenCost.ts';
import type { Usage } from '../../wire/chatEvent.ts';
import type { ModelPrices } from '../models/modelPrices.ts';
import type { PlannedCall, ReplySize } from './plannedCall.ts';

/** More characters than a token has. Some relays report a few tokens for every reply. */
const charactersPerToken = 8;

/** The tokens of output that a stopped reply may contain without showing them, such as reasoning. */
const assumedReasoning = 4_096;

/** The part of a planned call that determines its cost. */
type CountedCall = Omit<PlannedCall, 'gateway' | 'initiator' | 'model'>;

/** The spent amount of a reply. Missing counts follow from its text, or are the maximum. */
export function computeSpentAmount(planned: CountedCall, size: ReplySize): SpentAmount {
  const { tokens, isCut, textLength = 0 } = size;
  const { most, prices, isTask, isVideo, maxInput, maxOutput, isRead } = planned;
  const reported = readChargedCost(planned, size);
  const isReported = (tokens?.outputTokens ?? 0) > 0 && !isCut;
  const isUnderpriced = (tokens?.otherUnits ?? 0) > 0;
  // An estimate without the request would be wrong by any factor, so its maximum is unknown.
  if (!isRead && reported === undefined && (isVideo || isUnderpriced || !hasCounts(size))) return most;
  if (isVideo || (isTask && !hasCounts(size)))
    return reported === undefined ? most : toSpentAmount(reported, most.tokens);
  const input = countInput(tokens) || maxInput;
  // A reply without any text and counts may have a form that is not read.
  const isMeasured = textLength > 0 || (size.textLength === 0 && countInput(tokens) > 0);
  const ownTokens = isReported
    ? Math.ceil(textLength / charactersPerToken)
    : isMeasured
      ? textLength
      : maxOutput;
  const output = Math.max(
    tokens?.outputTokens ?? 0,
    Math.min(maxOutput, Math.max(ownTokens, isCut ? assumedReasoning : 0)),
  );
  // A reply without counts does not show its tier either.
  const service = tokens?.service ?? (isReported ? undefined : planned.service);
  // Writing to a cache of unknown price costs at most twice as much as other input.
  const estimate =
    computeReplyPrice(prices, { ...tokens, inputTokens: input, outputTokens: output }, service) ??
    computeReplyPrice(prices, { inputTokens: 2 * input, outputTokens: output }, service);
  const spent = toSpentAmount(reported ?? estimate, Math.max(input + output, tokens?.totalTokens ?? 0));
  return reported === undefined && isUnderpriced && (spent.amount ?? 0) < (most.amount ?? 0)
    ? { ...most, tokens: spent.tokens }
    : spent;
}

/** The reported cost; undefined if there is none, or if it cannot be the charge. */
function readChargedCost({ prices, least, service }: CountedCall, size: ReplySize): number | undefined {
  const { costUsd, ...tokens } = size.tokens ?? {};
  // Some gateways report 0 for models whose price they do not know.
  if (!costUsd) return undefined;
  const certain = least.amount === undefined ? undefined : fromBillionths(least.amount);
  const expected = hasCounts(size)
    ? computeReplyPrice(prices, { ...tokens, inputTokens: countInput(tokens) }, service)
    : certain;
  return isPlausibleCost(costUsd, expected) ? costUsd : undefined;
}

/** Whether a complete reply reports its input and its output. */
export function hasCounts({ tokens, isCut }: ReplySize): boolean {
  return !isCut && (tokens?.outputTokens ?? 0) > 0 && countInput(tokens) > 0;
}

/** Some servers report the input without its cached part. */
function countInput({ inputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 }: Usage = {}): number {
  const cached = cachedTokens + cacheWriteTokens;
  return cached > inputTokens ? inputTokens + cached : inputTokens;
}

/**
 * The factor for a fast service tier of unknown price. The fast tiers of OpenAI's models cost at most this factor.
 */
const fastFactor = 2.5;

/** Other units are not priced. */
export function computeReplyPrice(
  prices: ModelPrices | undefined,
  { otherUnits: _, ...usage }: Usage,
  service: ServiceTier | undefined,
): number | undefined {
  if (!prices?.tokens) return undefined;
  const isListed = service !== undefined && hasService(prices.tokens, service);
  const servicePrice = isListed ? calculateTokenCost(usage, prices.tokens, service) : undefined;
  const standard = calculateTokenCost(usage, prices.tokens);
  const usd = servicePrice ?? (standard && standard * (isListed || service !== 'priority' ? 1 : fastFactor));
  return usd === undefined ? undefined : usd + (prices.perRequest ?? 0);
}
