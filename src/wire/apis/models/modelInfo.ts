import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { Model } from './modelList.ts';
import { decodeTokenPrice, type TokenPrice } from './tokenPrice.ts';

/** What models cost, by their ids. */
export type TokenPrices = ReadonlyMap<string, TokenPrice>;

/** Twice as many as a reply of the length that is read would have. Reading more would block whoever asks. */
const maxDeployments = 4000;

/**
 * Reads LiteLLM's `/v1/model/info`: `{data: [{model_name, litellm_params, model_info}]}` with an element for each
 * deployment, of which a model may have several. Which of them answers is not known before, so a model whose
 * deployments do not all have the same price has none. What the operator sets in `litellm_params` is charged in place
 * of what LiteLLM's own table says.
 *
 * @returns undefined when this is no such list, or one of too many: those left out might have other prices
 */
export function decodeModelInfo(reply: unknown): TokenPrices | undefined {
  if (!isObject(reply) || !Array.isArray(reply.data)) return undefined;
  if (reply.data.length > maxDeployments) return undefined;
  const found = new Map<string, TokenPrice | undefined>();
  for (const deployment of reply.data) {
    const name = isObject(deployment) ? nonEmptyString(deployment.model_name) : undefined;
    if (name === undefined) continue;
    const price = priceOf(deployment);
    found.set(name, !found.has(name) || isSame(price, found.get(name)) ? price : undefined);
  }
  return new Map([...found].flatMap(([name, price]) => (price ? [[name, price] as const] : [])));
}

function priceOf({ model_info, litellm_params }: JsonObject): TokenPrice | undefined {
  const [own, ofTable] = [litellm_params, model_info].map((place) =>
    isObject(place) ? decodeTokenPrice(place) : undefined,
  );
  return own ?? ofTable;
}

/** Both are written in one order. */
function isSame(one: TokenPrice | undefined, other: TokenPrice | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a list of models tells what any of them costs. */
export function tellsPrices(models: readonly Model[]): boolean {
  return models.some(({ tokenPrice, price }) => tokenPrice !== undefined || price !== undefined);
}

/** The models with the prices that are told apart from their list, in place of those they had. */
export function withTokenPrices(models: readonly Model[], prices: TokenPrices): readonly Model[] {
  return models.map(({ tokenPrice: _, ...model }) => {
    const tokenPrice = prices.get(model.id);
    return tokenPrice ? { ...model, tokenPrice } : model;
  });
}

/** The prices of models, by their ids. */
export function tokenPricesOf(models: readonly Model[]): TokenPrices {
  return new Map(models.flatMap(({ id, tokenPrice }) => (tokenPrice ? [[id, tokenPrice] as const] : [])));
}
