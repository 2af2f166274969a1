import { valueAt } from '../../base/nestedValues.ts';
import type { TaskCost } from '../../tasks/record/task.ts';
import { computeTotalPrice, type Price } from '../../tasks/record/taskSpending.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { readRequestedVideos } from '../../wire/apis/requestedUsage.ts';
import type { VideoRouteId } from '../../wire/apis/videoRoutes.ts';
import type { Gateway } from '../connection/gateways.ts';
import { isDemoModel } from './demoModels.ts';
import { readModelRules } from './modelSettings.ts';

/** Equal requests for videos. */
export interface PricedRequests {
  readonly gateway: Gateway;
  readonly route: VideoRouteId;
  readonly model: string;
  readonly request: object;
  readonly count: number;
}

interface UnitPrice extends Price {
  readonly source: TaskCost['source'];
}

/**
 * Estimates the cost of requests by the user's own price, or else by the gateway's listed price. The demo is free.
 *
 * @returns undefined if the cost is unknown
 */
export function videoCost(requests: PricedRequests, models: readonly Model[]): TaskCost | undefined {
  const { gateway, model } = requests;
  if (isDemoModel(gateway, model)) return { amount: 0, currency: 'USD', source: 'listed-price' };
  const price = unitPrice(model, models);
  const { count, seconds, isUnclear } = readVideos(requests);
  if (isUnclear) return undefined;
  const amount = price && computeTotalPrice(price, requests.count * count, seconds);
  return price && amount !== undefined
    ? { amount, currency: price.currency, source: price.source }
    : undefined;
}

/** The length of each requested video, in seconds. */
export function readVideoSeconds(requests: Pick<PricedRequests, 'request'>): number | undefined {
  return readVideos(requests).seconds;
}

function readVideos({ request }: Pick<PricedRequests, 'request'>) {
  return readRequestedVideos((name) => valueAt(request, [name]));
}

/** The price of a model's videos: the user's own price, or else the listed one. */
export function unitPrice(model: string, models: readonly Model[]): UnitPrice | undefined {
  const ownPrice = readModelRules().videoPrice(model);
  if (ownPrice) return { ...ownPrice, source: 'user-price' };
  const { perRequest, perSecond } = models.find(({ id }) => id === model)?.price ?? {};
  if (perRequest === undefined && perSecond === undefined) return undefined;
  return {
    ...(perRequest !== undefined && { perRequest }),
    ...(perSecond !== undefined && { perSecond }),
    currency: 'USD',
    source: 'listed-price',
  };
}
