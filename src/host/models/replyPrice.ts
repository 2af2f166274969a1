import type { ChatResult } from '../../client/types.ts';
import type { ReplyPrice } from '../../conversations/conversation/cost.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { findServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { hasService } from '../../wire/apis/models/tokenCost.ts';
import { addCacheWriteRates } from '../../wire/apis/models/tokenPrice.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';
import type { ModelRules } from './modelRules.ts';

interface PriceSources {
  readonly gateway: Gateway | undefined;
  /** The user's model settings, with the user's own prices. */
  readonly rules: ModelRules;
  /** The models that the gateway lists. */
  readonly models: readonly Model[];
}

/** The price of the demo. Not read from a model list, where 0 means that the price is unknown. */
const freePrice: ReplyPrice = { tokens: { input: 0, output: 0 }, source: 'listed-price' };

/**
 * The price of a reply. The demo is free. For other models the user's own price takes precedence over the listed
 * price. The first price with rates for the service tier of the request is used.
 *
 * @param reply its `model` is the reported id. A router may report another id than the requested id
 * @param hasPictures whether the request had pictures; a listed price may then be per picture
 */
export function replyPrice(
  { gateway, rules, models }: PriceSources,
  requestedModel: string,
  reply: Pick<ChatResult, 'model' | 'serviceTier'>,
  hasPictures = false,
): ReplyPrice | undefined {
  if (gateway && isDemoModel(gateway, requestedModel)) return freePrice;
  const service = findServiceTier(reply.serviceTier);
  const ownPrice = rules.tokenPrice(requestedModel);
  const actualModel = reply.model ?? requestedModel;
  const prices: readonly ReplyPrice[] = [
    ...(ownPrice
      ? [{ tokens: addCacheWriteRates(actualModel, ownPrice), source: 'user-price' } as const]
      : []),
    ...[requestedModel, reply.model].flatMap((id) => listedPrice(models, id, hasPictures) ?? []),
  ];
  return service && prices.find(({ tokens }) => hasService(tokens, service));
}

function listedPrice(
  models: readonly Model[],
  id: string | undefined,
  hasPictures: boolean,
): ReplyPrice | undefined {
  const { tokenPrice, price } = models.find((model) => model.id === id) ?? {};
  if (hasPictures && price?.perPicture !== undefined) return undefined;
  if (id === undefined || !tokenPrice) return undefined;
  const tokens = addCacheWriteRates(id, tokenPrice);
  return { tokens, perRequest: price?.perRequest, source: 'listed-price' };
}
