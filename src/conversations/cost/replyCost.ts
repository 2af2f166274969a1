import type { ChatResult } from '../../client/types.ts';
import type { TokenPrice, TokenRates } from '../../wire/apis/models/tokenPrice.ts';
import type { Usage } from '../../wire/chatEvent.ts';
import type { CostRecord } from '../record.ts';

/** What one reply of a model costs, and who says so. */
export interface ReplyPrice {
  readonly tokens: TokenPrice;
  /** Added for each request, in US dollars. */
  readonly perRequest?: number | undefined;
  readonly source: 'user-price' | 'listed-price';
}

/**
 * What a reply cost: what its gateway told, else by a price.
 *
 * @returns undefined when nobody knows, which is not the same as nothing
 */
export function replyCost(
  { costUsd, usage }: Pick<ChatResult, 'costUsd' | 'usage'>,
  price: ReplyPrice | undefined,
): CostRecord | undefined {
  if (costUsd !== undefined) return { usd: costUsd, source: 'gateway' };
  if (!price || !usage) return undefined;
  const usd = tokenCost(usage, price.tokens);
  return usd === undefined ? undefined : { usd: usd + (price.perRequest ?? 0), source: price.source };
}

/**
 * What tokens cost, in US dollars. Cached input counts once, at its own rate where it has one, and so does
 * reasoning.
 *
 * @returns undefined when a count or a rate that it needs is not known
 */
export function tokenCost(usage: Usage, price: TokenPrice): number | undefined {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const rates = ratesFor(inputTokens, price);
  const input = inputCost(inputTokens, usage, rates);
  const output = outputCost(outputTokens, usage, rates);
  if (input === undefined || output === undefined) return undefined;
  const usd = input + output;
  return Number.isFinite(usd) && usd >= 0 ? usd : undefined;
}

/** The tier follows the size of the prompt. */
function ratesFor(inputTokens: number, { tiers = [], ...rates }: TokenPrice): TokenRates {
  const reached = tiers.filter(({ above }) => inputTokens > above);
  return Object.fromEntries([rates, ...reached].flatMap((each) => Object.entries(each)));
}

function inputCost(
  tokens: number,
  { cachedTokens = 0, cacheWriteTokens = 0 }: Usage,
  { input, cachedInput = input, cacheWrite = input }: TokenRates,
): number | undefined {
  const read = Math.min(cachedTokens, tokens);
  const written = Math.min(cacheWriteTokens, tokens - read);
  return sum([
    [tokens - read - written, input],
    [read, cachedInput],
    [written, cacheWrite],
  ]);
}

function outputCost(
  tokens: number,
  { reasoningTokens = 0 }: Usage,
  { output, reasoning = output }: TokenRates,
): number | undefined {
  const reasoned = Math.min(reasoningTokens, tokens);
  return sum([
    [tokens - reasoned, output],
    [reasoned, reasoning],
  ]);
}

/** Where there are no tokens of a kind, their rate need not be known. */
function sum(parts: readonly (readonly [count: number, rate: number | undefined])[]): number | undefined {
  let usd = 0;
  for (const [count, rate] of parts) {
    if (count === 0) continue;
    if (rate === undefined) return undefined;
    usd += count * rate;
  }
  return usd;
}
