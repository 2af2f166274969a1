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

/**
 * The maximum number of bytes per token of a reply: in a stream, most pieces of text are in events of their own. Some
 * upstreams send many tokens in one event, so longer events count like documents.
 */
const streamBytesPerToken = 32;
const documentBytesPerToken = 4;
const bytesOfEvent = 300;

/**
 * A report of less than one output token for this number of bytes is a placeholder, because even pictures have more
 * tokens.
 */
const placeholderBytesPerToken = 256 * 1024;

/**
 * Some relays report a few tokens for every reply. A short reply needs at most these bytes: a token has up to 20
 * alternatives with their bytes, and there may be results of a search and comments that keep the connection open.
 */
const fewTokens = 16;
const bytesPerFewTokens = 4 * 1024;
/** The events of a stream repeat the other members, and some formats also the text. */
const streamFactor = 4;

/** The events of a response repeat its request, such as the tools, up to four times. */
const maxEchoes = 4;

/** The tokens of output that a stopped reply may contain without showing them, such as reasoning. */
const assumedReasoning = 4_096;

/** The amount of a request that was not read. */
export const unknownAmount: SpentAmount = { tokens: 0 };

/** The part of a planned call that determines its cost. */
type CountedCall = Omit<PlannedCall, 'gateway' | 'initiator' | 'model'>;

/** The spent amount of a reply. Missing counts are estimated from its size, or count with their maximum. */
export function computeSpentAmount(planned: CountedCall, size: ReplySize): SpentAmount {
  const { tokens, isCut, bytes, isStream, events = 0 } = size;
  const { most, prices, isTask, isVideo, maxInput, maxOutput, requestBytes, isRead } = planned;
  const reported = readChargedCost(planned, size);
  const isReported = (tokens?.outputTokens ?? 0) > 0 && !isCut;
  const isUnderpriced = (tokens?.otherUnits ?? 0) > 0;
  // An estimate without the request would be wrong by any factor.
  if (!isRead && reported === undefined && (isVideo || isUnderpriced || !hasCounts(size)))
    return unknownAmount;
  if (isVideo || (isTask && !hasCounts(size)))
    return reported === undefined ? most : toSpentAmount(reported, most.tokens);
  const bytesPerToken = isStream ? streamBytesPerToken : documentBytesPerToken;
  const longEvents = isStream ? ((bytes ?? 0) - bytesOfEvent * events) / documentBytesPerToken : 0;
  const outputBySize = bytes ? Math.ceil(Math.max(bytes / bytesPerToken, longEvents)) : maxOutput;
  const input = countInput(tokens) || maxInput;
  // A reply with a text must not be free if it does not report its output.
  const hidden = isCut ? Math.min(maxOutput, assumedReasoning) : 0;
  const reportedOutput = tokens?.outputTokens ?? 0;
  const ownBytes = (bytes ?? 0) - maxEchoes * requestBytes;
  const leastOutput = isPlaceholder(reportedOutput, ownBytes, isStream)
    ? Math.min(maxOutput, Math.ceil(ownBytes / (8 * bytesPerToken)))
    : 0;
  const output = Math.max(
    reportedOutput,
    ...(isReported ? [leastOutput] : [Math.min(maxOutput, outputBySize), hidden]),
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

/** Whether a reply is too long for the tokens that it reports. */
function isPlaceholder(tokens: number, bytes: number, isStream: boolean): boolean {
  if (tokens > fewTokens) return bytes > tokens * placeholderBytesPerToken;
  return bytes > (1 + tokens) * bytesPerFewTokens * (isStream ? streamFactor : 1);
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
