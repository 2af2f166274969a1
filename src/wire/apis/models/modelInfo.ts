import { isObject, type JsonObject, nonEmptyString, sameJson } from '../../../base/json.ts';
import type { Model } from './modelList.ts';
import { decodeTokenPrice, type TokenPrice } from './tokenPrice.ts';

/** The token prices of models, by the ids of the models. */
export type TokenPrices = ReadonlyMap<string, TokenPrice>;

/** Twice the number that usually fits into a reply of the maximum length. Reading more would block the caller. */
const maxDeployments = 4000;

/**
 * Reads LiteLLM's `/v1/model/info`: `{data: [{model_name, litellm_params, model_info}]}` with an element for each
 * deployment. A model may have several deployments. LiteLLM uses any of them for a request, so a model whose
 * deployments have different prices has no price. Prices that the operator sets in `litellm_params` override
 * LiteLLM's own table.
 *
 * @returns undefined if this is not such a list, or if it has too many elements: the unread elements might have
 * other prices
 */
export function decodeModelInfo(reply: unknown): TokenPrices | undefined {
  if (!isObject(reply) || !Array.isArray(reply.data)) return undefined;
  if (reply.data.length > maxDeployments) return undefined;
  const prices = new Map<string, TokenPrice | undefined>();
  for (const deployment of reply.data) {
    const name = isObject(deployment) ? nonEmptyString(deployment.model_name) : undefined;
    if (name === undefined) continue;
    const price = readPrice(deployment);
    prices.set(name, !prices.has(name) || sameJson(price, prices.get(name)) ? price : undefined);
  }
  return new Map([...prices].flatMap(([name, price]) => (price ? [[name, price] as const] : [])));
}

function readPrice({ model_info, litellm_params }: JsonObject): TokenPrice | undefined {
  const [ownPrice, tablePrice] = [litellm_params, model_info].map((source) =>
    isObject(source) ? decodeTokenPrice(source) : undefined,
  );
  return ownPrice ?? tablePrice;
}

/** Whether any model of a list has a price. */
export function hasPrices(models: readonly Model[]): boolean {
  return models.some(({ tokenPrice, price }) => tokenPrice !== undefined || price !== undefined);
}

/** The models with the token prices of a separate source instead of their own. */
export function replaceTokenPrices(models: readonly Model[], prices: TokenPrices): readonly Model[] {
  return models.map(({ tokenPrice: _, ...model }) => {
    const tokenPrice = prices.get(model.id);
    return tokenPrice ? { ...model, tokenPrice } : model;
  });
}

export function collectTokenPrices(models: readonly Model[]): TokenPrices {
  return new Map(models.flatMap(({ id, tokenPrice }) => (tokenPrice ? [[id, tokenPrice] as const] : [])));
}
