import type { PaidReply, PaidRequest } from '../../client/types.ts';
import { computeReplyCost } from '../../conversations/conversation/cost.ts';
import {
  fromBillionths,
  isPlausibleCost,
  type SpentAmount,
  toSpentAmount,
} from '../../storage/spending/spendingLimit.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { estimateRequestTokens } from '../../wire/apis/requestedUsage.ts';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import type { Usage } from '../../wire/chatEvent.ts';
import type { Gateway } from '../connection/gateways.ts';
import type { ModelRules } from './modelRules.ts';
import { replyPrice } from './replyPrice.ts';
import { videoCost } from './videoCost.ts';

/** The sources of the prices of a request. */
export interface SpendingSources {
  readonly gateway: Gateway;
  readonly models: readonly Model[];
  readonly rules: ModelRules;
}

/** The spending of a request: at least, at most, and according to its reply. */
interface RequestSpending {
  readonly minimum: SpentAmount;
  readonly maximum: SpentAmount;
  readonly reported: (reply: PaidReply) => SpentAmount;
}

/** Estimates the spending of a request before it is sent. */
export function plannedSpending(request: PaidRequest, sources: SpendingSources): RequestSpending {
  return request.kind === 'task' ? taskSpending(request, sources) : replySpending(request, sources);
}

/** The spending of a task is its price, because its cost is not known before it ends. */
function taskSpending(
  { route, model = '', body }: PaidRequest,
  { gateway, models }: SpendingSources,
): RequestSpending {
  const id = videoRoutes.find((each) => each.route.name === route)?.id;
  const cost = id && videoCost({ gateway, route: id, model, request: body, count: 1 }, models);
  const amount = toSpentAmount(cost?.amount, 0, cost?.currency);
  // A price in another currency is not replaced, because limits in that currency cannot count dollars.
  const isInDollars = (cost?.currency ?? 'USD') === 'USD';
  const reported = ({ costUsd }: PaidReply) =>
    costUsd && isInDollars && isPlausibleCost(costUsd, cost?.amount) ? toSpentAmount(costUsd, 0) : amount;
  return { minimum: amount, maximum: amount, reported };
}

function replySpending(
  { model = '', body }: PaidRequest,
  { gateway, models, rules }: SpendingSources,
): RequestSpending {
  const listedModel = models.find(({ id }) => id === model);
  const {
    input,
    maxInput,
    maxOutput: output,
    serviceTier,
    hasFiles,
  } = estimateRequestTokens(body, {
    contextLength: rules.facts(model).contextLength ?? listedModel?.contextLength,
    maxOutput: rules.facts(model).maxOutput ?? listedModel?.maxOutput,
  });
  const canReason =
    rules.facts(model).reasoning ?? (listedModel?.abilities?.includes('reasoning') || undefined);
  const calculateCost = (
    usage: Usage,
    { model: actualModel, serviceTier }: Pick<PaidReply, 'model' | 'serviceTier'>,
  ) => {
    const reply = {
      ...(actualModel !== undefined && { model: actualModel }),
      ...(serviceTier !== undefined && { serviceTier }),
    };
    return computeReplyCost(
      { ...reply, usage },
      replyPrice({ gateway, rules, models }, model, reply, hasFiles),
    )?.usd;
  };
  const planned = (inputTokens: number, outputTokens: number) => {
    const reply = serviceTier === undefined ? {} : { serviceTier };
    return toSpentAmount(calculateCost({ inputTokens, outputTokens }, reply), inputTokens + outputTokens);
  };
  const [minimum, maximum] = [planned(input, 0), planned(maxInput, output)];
  return {
    minimum,
    maximum,
    reported(reply) {
      const mayHideReasoning = canReason ?? !reply.hasEnded;
      const usage = completeUsage(reply, maxInput, mayHideReasoning ? Math.min(output, assumedReasoning) : 0);
      const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {};
      // Writing to a cache of unknown price costs at most twice as much as other input.
      const doubleInput = { inputTokens: 2 * inputTokens, outputTokens };
      // A reply without counts does not show its tier either.
      const isCounted = reply.hasEnded && (reply.usage?.outputTokens ?? 0) > 0;
      const tier = reply.serviceTier ?? (isCounted ? undefined : serviceTier);
      const processed = tier === undefined ? reply : { ...reply, serviceTier: tier };
      const estimate =
        usage &&
        (calculateCost(usage, processed) ??
          (usage.otherUnits ? undefined : calculateCost(doubleInput, processed)));
      const isPriced = isCounted && (reply.usage?.inputTokens ?? 0) > 0;
      const certain = minimum.amount === undefined ? undefined : fromBillionths(minimum.amount);
      const expected = isPriced && usage ? calculateCost(usage, processed) : certain;
      const { costUsd } = reply;
      // Some gateways report 0 for models whose price they do not know.
      const charged = costUsd && isPlausibleCost(costUsd, expected) ? costUsd : undefined;
      if (!usage && charged === undefined) return maximum;
      const usd = charged ?? estimate;
      const tokens = usage ? Math.max(inputTokens + outputTokens, totalTokens) : maximum.tokens;
      const spent = toSpentAmount(usd, tokens);
      return spent.amount === undefined && maximum.amount !== undefined
        ? { ...maximum, tokens: spent.tokens }
        : spent;
    },
  };
}

/** The assumed hidden output of a reply without a final count, in tokens. */
const assumedReasoning = 4_096;

/**
 * The reported token counts. Missing counts are estimated from the texts. Undefined if nothing was reported or
 * received.
 *
 * @param input the most tokens of the request
 * @param hiddenOutput the least output of a reply whose final count is missing, in tokens
 */
function completeUsage(
  { usage, textLength, hasEnded }: PaidReply,
  input: number,
  hiddenOutput: number,
): Usage | undefined {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {};
  if (inputTokens + outputTokens + totalTokens + textLength === 0) return undefined;
  const { cachedTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const cached = cachedTokens + cacheWriteTokens;
  // Some gateways report the input without its cached part.
  const totalInput = cached > inputTokens ? inputTokens + cached : inputTokens;
  const isFinal = outputTokens > 0 && hasEnded;
  const written = outputTokens > 0 ? Math.max(outputTokens, Math.ceil(textLength / 8)) : textLength;
  return {
    ...usage,
    inputTokens: totalInput > 0 ? totalInput : input,
    outputTokens: isFinal ? written : Math.max(written, hiddenOutput),
  };
}
