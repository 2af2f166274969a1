import type { Usage } from '../../chatEvent.ts';
import type { ServiceTier } from './serviceTier.ts';
import type { PriceTier, ServicePrice, TokenPrice, TokenRates } from './tokenPrice.ts';

/** How a request was processed. */
type Service = ServiceTier | 'standard';

/** Whether a price list covers requests of a service tier. */
export function hasService({ services }: TokenPrice, service: Service): boolean {
  return service === 'standard' || services?.[service] !== undefined;
}

/**
 * The cost of tokens in US dollars. Cached input is counted once, at its own rate if there is one, and so is
 * reasoning. Cache writes cost more than other input, so their rate must be known.
 *
 * @returns undefined if a required count or rate is unknown
 */
export function calculateTokenCost(
  usage: Usage,
  price: TokenPrice,
  service: Service = 'standard',
): number | undefined {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined || outputTokens === undefined || usage.otherUnits) return undefined;
  const rates = chooseRates(inputTokens, price, service);
  const usd =
    rates && sumCosts([...splitInput(inputTokens, usage, rates), ...splitOutput(outputTokens, usage, rates)]);
  return usd !== undefined && Number.isFinite(usd) && usd >= 0 ? usd : undefined;
}

/** The rate of each kind of tokens; undefined if unknown. */
type Rates = Readonly<Record<keyof TokenRates, number | undefined>>;

/** A rate that only the standard price lists separately is unknown for the other service tiers. */
function chooseRates(inputTokens: number, price: TokenPrice, service: Service): Rates | undefined {
  const standard = resolveTier(inputTokens, price);
  if (service === 'standard') return completeRates(standard, standard);
  const own = price.services?.[service];
  const rates = own && resolveTier(inputTokens, own);
  return rates && rates.above >= standard.above ? completeRates(rates, standard) : undefined;
}

/** The tier depends on the size of the prompt. */
function resolveTier(inputTokens: number, { tiers = [], ...rates }: ServicePrice): PriceTier {
  const reachedTiers = tiers.filter(({ above }) => inputTokens > above);
  return Object.assign({ above: 0 }, rates, ...reachedTiers);
}

function completeRates(rates: TokenRates, standard: TokenRates): Rates {
  const { input, output } = rates;
  return {
    input,
    output,
    cachedInput: rates.cachedInput ?? findRateUnlessSeparate(standard.cachedInput, standard.input, input),
    cacheWrite: rates.cacheWrite,
    cacheHour: rates.cacheHour,
    reasoning: rates.reasoning ?? findRateUnlessSeparate(standard.reasoning, standard.output, output),
  };
}

/** The general rate of input or output, unless the standard price has a separate rate for this kind. */
function findRateUnlessSeparate(
  separateRate: number | undefined,
  standard: number | undefined,
  rate: number | undefined,
): number | undefined {
  return separateRate === undefined || separateRate === standard ? rate : undefined;
}

type Part = readonly [count: number, rate: number | undefined];

function splitInput(
  tokens: number,
  { cachedTokens = 0, cacheWriteTokens = 0, cacheHourTokens = 0 }: Usage,
  { input, cachedInput, cacheWrite, cacheHour }: Rates,
): readonly Part[] {
  const cachedCount = Math.min(cachedTokens, tokens);
  const writtenCount = Math.min(Math.max(cacheWriteTokens, cacheHourTokens), tokens - cachedCount);
  const hourCount = Math.min(cacheHourTokens, writtenCount);
  return [
    [tokens - cachedCount - writtenCount, input],
    [cachedCount, cachedInput],
    [writtenCount - hourCount, cacheWrite],
    [hourCount, cacheHour],
  ];
}

function splitOutput(
  tokens: number,
  { reasoningTokens = 0 }: Usage,
  { output, reasoning }: Rates,
): readonly Part[] {
  const reasoningCount = Math.min(reasoningTokens, tokens);
  return [
    [tokens - reasoningCount, output],
    [reasoningCount, reasoning],
  ];
}

/** A rate is not needed if there are no tokens of its kind. */
function sumCosts(parts: readonly Part[]): number | undefined {
  let usd = 0;
  for (const [count, rate] of parts) {
    if (count === 0) continue;
    if (rate === undefined) return undefined;
    usd += count * rate;
  }
  return usd;
}
