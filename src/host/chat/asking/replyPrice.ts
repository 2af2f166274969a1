import type { ChatResult } from '../../../client/types.ts';
import { hasService, type ReplyPrice } from '../../../conversations/cost/replyCost.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { serviceTierOf } from '../../../wire/apis/models/serviceTier.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import type { ModelRules } from '../../models/modelRules.ts';

interface PriceSources {
  /** The one that was asked. */
  readonly gateway: Gateway | undefined;
  /** The user's settings of models, with their own prices. */
  readonly rules: ModelRules;
  /** The models that the gateway lists. */
  readonly models: readonly Model[];
}

/** A model list cannot declare it: zeros there mean that no price was declared. */
const free: ReplyPrice = { tokens: { input: 0, output: 0 }, source: 'listed-price' };

/**
 * The price of a reply. The demo is free. For other models the user's own price comes before the listed one, and the
 * first with rates for the way in which the request was processed counts.
 *
 * @param reply its `model` is what the gateway called it, which one that only chooses among others leaves to tell
 * @param hasPictures whether pictures were asked about, of which what is listed may be for each
 */
export function replyPrice(
  { gateway, rules, models }: PriceSources,
  asked: string,
  reply: Pick<ChatResult, 'model' | 'serviceTier'>,
  hasPictures = false,
): ReplyPrice | undefined {
  if (gateway && isDemoModel(gateway, asked)) return free;
  const service = serviceTierOf(reply.serviceTier);
  const own = rules.tokenPrice(asked);
  const prices: readonly ReplyPrice[] = [
    ...(own ? [{ tokens: own, source: 'user-price' } as const] : []),
    ...[asked, reply.model].flatMap((id) => listedPrice(models, id, hasPictures) ?? []),
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
  return tokenPrice && { tokens: tokenPrice, perRequest: price?.perRequest, source: 'listed-price' };
}
