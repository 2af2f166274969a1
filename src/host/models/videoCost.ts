import { scalarText } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import type { TaskCost } from '../../tasks/record/task.ts';
import { computeTotalPrice, type Price } from '../../tasks/record/taskSpending.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { requestedVideos } from '../../wire/apis/requestedUsage.ts';
import { type VideoRouteId, videoRoute } from '../../wire/apis/videoRoutes.ts';
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
 * @returns undefined if it is not known
 */
export function videoCost(requests: PricedRequests, models: readonly Model[]): TaskCost | undefined {
  const { gateway, model } = requests;
  if (isDemoModel(gateway, model)) return { amount: 0, currency: 'USD', source: 'listed-price' };
  const price = unitPrice(model, models);
  const videos = requestedVideos((path) => valueAt(requests.request, path));
  const amount = price && computeTotalPrice(price, requests.count * videos, secondsOf(requests));
  return price && amount !== undefined
    ? { amount, currency: price.currency, source: price.source }
    : undefined;
}

/** A larger value is not the length of a video. */
const maxSeconds = 86_400;

/** The length of each requested video, in seconds. */
export function secondsOf({ route, request }: Pick<PricedRequests, 'route' | 'request'>): number | undefined {
  const seconds = Number.parseFloat(scalarText(valueAt(request, videoRoute(route).durationPath)));
  return seconds > 0 && seconds <= maxSeconds ? seconds : undefined;
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
