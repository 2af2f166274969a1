import type { Usage } from '../../wire/chatEvent.ts';
import { effectOf } from '../../wire/failureEffect.ts';
import type { CostRecord } from './record.ts';
import type { ReplyResult } from './turn.ts';

/** Whether a reply came to an end of its own. Of another one, counts are the last that came. */
export function isWhole({ outcome, isLeast }: Pick<ReplyResult, 'outcome' | 'isLeast'>): boolean {
  return !isLeast && (outcome.kind === 'complete' || outcome.kind === 'truncated');
}

/** Whether there is proof that nothing was made, and that nobody charged for it. */
export function madeNothing({ outcome, cost }: ReplyResult): boolean {
  return cost === undefined && 'error' in outcome && effectOf(outcome.error).nothingMade;
}

/**
 * How an answer ended that consists of several that go on with each other: as the last one did, with the sums of
 * all.
 *
 * @returns undefined while the last one arrives
 */
export function joinedResult(results: readonly (ReplyResult | undefined)[]): ReplyResult | undefined {
  const last = results.at(-1);
  const all = results.filter((result) => result !== undefined);
  if (!last || all.length < 2) return last;
  const counted = all.filter((result) => !madeNothing(result));
  const usage = sumOfUsage(counted);
  const cost = sumOfCosts(counted);
  const lacks = counted.some(
    (result) => !isWhole(result) || (usage && !result.usage) || (cost && !result.cost),
  );
  const { usage: _, cost: __, firstTokenMs: ___, reasoningMs: ____, serviceTier, ...end } = last;
  const firstTokenMs = all[0]?.firstTokenMs;
  const writingMs = sum(counted.map(({ totalMs, firstTokenMs: first }) => first && totalMs - first));
  const reasoningMs = sum(all.map((result) => result.reasoningMs));
  return {
    ...end,
    totalMs: sum(all.map(({ totalMs }) => totalMs)) ?? end.totalMs,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(reasoningMs !== undefined && { reasoningMs }),
    ...(writingMs !== undefined && { writingMs }),
    ...(usage && { usage }),
    ...(serviceTier !== undefined &&
      counted.every((result) => result.serviceTier === serviceTier) && { serviceTier }),
    ...(cost && { cost }),
    ...(lacks && { isLeast: true }),
  };
}

const counts = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'cacheHourTokens',
  'otherUnits',
] as const satisfies readonly (keyof Usage)[];

function sumOfUsage(results: readonly ReplyResult[]): Usage | undefined {
  const told = results.flatMap(({ usage }) => usage ?? []);
  if (told.length === 0) return undefined;
  const sums = counts.map((name) => [name, sum(told.map((usage) => usage[name]))] as const);
  return Object.fromEntries(sums.filter(([, count]) => count !== undefined));
}

/** What is estimated in a part is so in the sum. */
function sumOfCosts(results: readonly ReplyResult[]): CostRecord | undefined {
  const told = results.flatMap(({ cost }) => cost ?? []);
  const usd = sum(told.map((cost) => cost.usd));
  const estimated = told.find(({ source }) => source !== 'gateway');
  return usd === undefined ? undefined : { usd, source: estimated?.source ?? 'gateway' };
}

/** The sum of what is known; undefined where nothing is. */
function sum(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, number) => total + number, 0);
}
