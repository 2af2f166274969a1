import { type Usage, usageNames } from '../../wire/chatEvent.ts';
import { getFailureEffect } from '../../wire/failures/failureEffect.ts';
import type { CostRecord } from './conversationRecord.ts';
import type { ReplyResult } from './turn.ts';

/** Whether the counts of a reply are complete, because the reply ended normally. */
export function hasCompleteCounts({
  outcome,
  isLowerBound,
}: Pick<ReplyResult, 'outcome' | 'isLowerBound'>): boolean {
  return !isLowerBound && (outcome.kind === 'complete' || outcome.kind === 'truncated');
}

/** Whether there is proof that the request produced nothing and was not charged. */
export function isUnbilled({ outcome, cost }: ReplyResult): boolean {
  return cost === undefined && 'error' in outcome && getFailureEffect(outcome.error).isUnbilled;
}

/**
 * Joins the results of a reply and its continuations: the outcome of the last result, with the sums of all.
 *
 * @returns undefined while the last continuation arrives
 */
export function joinResults(results: readonly (ReplyResult | undefined)[]): ReplyResult | undefined {
  const last = results.at(-1);
  const ended = results.filter((result) => result !== undefined);
  if (!last || ended.length < 2) return last;
  const billed = ended.filter((result) => !isUnbilled(result));
  const usage = sumUsage(billed);
  const cost = sumCosts(billed);
  const isIncomplete = billed.some(
    (result) => !hasCompleteCounts(result) || (usage && !result.usage) || (cost && !result.cost),
  );
  const { usage: _, cost: __, firstTokenMs: ___, reasoningMs: ____, serviceTier, ...end } = last;
  const firstTokenMs = ended[0]?.firstTokenMs;
  const writingMs = sumKnown(
    billed.map((result) =>
      result.firstTokenMs === undefined ? undefined : result.totalMs - result.firstTokenMs,
    ),
  );
  const reasoningMs = sumKnown(ended.map((result) => result.reasoningMs));
  return {
    ...end,
    totalMs: sumKnown(ended.map(({ totalMs }) => totalMs)) ?? end.totalMs,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(writingMs !== undefined && { writingMs }),
    ...(usage && { usage }),
    ...(serviceTier !== undefined &&
      billed.every((result) => result.serviceTier === serviceTier) && { serviceTier }),
    ...(cost && { cost }),
    ...(isIncomplete && { isLowerBound: true }),
  };
}

function sumUsage(results: readonly ReplyResult[]): Usage | undefined {
  const reported = results.flatMap(({ usage }) => usage ?? []);
  if (reported.length === 0) return undefined;
  const sums = usageNames
    .filter((name) => name !== 'totalTokens')
    .map((name) => [name, sumKnown(reported.map((usage) => usage[name]))] as const);
  return Object.fromEntries(sums.filter(([, count]) => count !== undefined));
}

/** The sum is marked as an estimate if any cost is an estimate. */
function sumCosts(results: readonly ReplyResult[]): CostRecord | undefined {
  const costs = results.flatMap(({ cost }) => cost ?? []);
  const usd = sumKnown(costs.map((cost) => cost.usd));
  const estimated = costs.find(({ source }) => source !== 'gateway');
  return usd === undefined ? undefined : { usd, source: estimated?.source ?? 'gateway' };
}

/** Sums up the known values; undefined if no value is known. */
export function sumKnown(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, number) => total + number, 0);
}
