import { createModelMatcher } from '../../base/modelPattern.ts';
import { addCacheWriteRates, type TokenPrice } from '../../wire/apis/models/tokenPrice.ts';
import type { ListedModel } from '../upstreams/upstream.ts';
import type { UpstreamConfig } from '../upstreams/upstreamConfig.ts';
import type { ModelListCache } from './modelListCache.ts';

/** The prices of a model in US dollars. */
export interface ModelPrices {
  /** For one token. */
  readonly tokens?: TokenPrice;
  readonly perRequest?: number;
  /** For each second of a video. */
  readonly perSecond?: number;
}

type PriceLookup = (model: string) => ModelPrices | undefined;

/** Creates a lookup of the prices of an upstream's models: in the configuration, otherwise in the upstream's list. */
export function createPriceLookup(
  { prices = [] }: Pick<UpstreamConfig, 'prices'>,
  list: ModelListCache,
): PriceLookup {
  const configured = prices.map((entry) => ({
    matches: createModelMatcher(entry.models),
    prices: readConfiguredPrices(entry),
  }));
  let listed: ReadonlyMap<string, ModelPrices> = new Map();
  let version = 0;
  return (model) => {
    const own = configured.find(({ matches }) => matches(model));
    if (own) return own.prices;
    if (list.version !== version) {
      version = list.version;
      listed = new Map((list.models ?? []).flatMap((each) => readListedPrices(each)));
    }
    const found = listed.get(model);
    return found?.tokens ? { ...found, tokens: addCacheWriteRates(model, found.tokens) } : found;
  };
}

const million = 1_000_000;

function readConfiguredPrices({
  input,
  output,
  cachedInput,
  cacheWrite,
  perRequest,
  perSecond,
}: NonNullable<UpstreamConfig['prices']>[number]): ModelPrices {
  const tokens =
    input === undefined || output === undefined
      ? undefined
      : {
          input: input / million,
          output: output / million,
          cachedInput: (cachedInput ?? input) / million,
          // Anthropic's public factors; most other providers charge written input like other input.
          cacheWrite: (cacheWrite ?? 1.25 * input) / million,
          cacheHour: (2 * input) / million,
        };
  return {
    ...(tokens && { tokens }),
    ...(perRequest !== undefined && { perRequest }),
    ...(perSecond !== undefined && { perSecond }),
  };
}

function readListedPrices({
  id,
  tokenPrice,
  price,
}: ListedModel): readonly (readonly [string, ModelPrices])[] {
  const { perRequest, perSecond } = price ?? {};
  if (!tokenPrice && perRequest === undefined && perSecond === undefined) return [];
  const prices = {
    ...(tokenPrice && { tokens: tokenPrice }),
    ...(perRequest !== undefined && { perRequest }),
    ...(perSecond !== undefined && { perSecond }),
  };
  return [[id, prices]];
}
