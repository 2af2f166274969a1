import * as vscode from 'vscode';
import { scalarText } from '../../../base/json.ts';
import { valueAt } from '../../../base/nestedValues.ts';
import { type Price, totalPrice } from '../../../tasks/record/spending.ts';
import type { TaskCost } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import type { Gateway } from '../../connection/gateways.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { costText } from '../../models/modelFigures.ts';
import { readModelRules } from '../../models/modelSettings.ts';

/** Equal requests for videos, with the fields that determine their price. */
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
  const amount = price && totalPrice(price, requests.count, secondsOf(requests));
  return price && amount !== undefined
    ? { amount, currency: price.currency, source: price.source }
    : undefined;
}

/** Larger values cannot be the lengths of videos. */
const maxSeconds = 86_400;

/** The length of each requested video, in seconds. */
export function secondsOf({ route, request }: Pick<PricedRequests, 'route' | 'request'>): number | undefined {
  const seconds = Number.parseFloat(scalarText(valueAt(request, videoRoute(route).durationPath)));
  return seconds > 0 && seconds <= maxSeconds ? seconds : undefined;
}

/** The price text next to the button that sends the requests. */
export function priceWords(requests: PricedRequests, models: readonly Model[]): string {
  const { gateway, model } = requests;
  if (isDemoModel(gateway, model)) return vscode.l10n.t('Free: the demo is not billed');
  const cost = videoCost(requests, models);
  if (cost) return vscode.l10n.t('About {0} ({1})', moneyText(cost), sourceWords(cost.source));
  const price = unitPrice(model, models);
  if (price?.perSecond === undefined) return vscode.l10n.t('Price unknown');
  const perSecond = moneyText({ amount: price.perSecond, currency: price.currency });
  return vscode.l10n.t('{0} per second ({1})', perSecond, sourceWords(price.source));
}

/** A sum of money, which is never shown as 0 unless it is 0. */
export function moneyText({ amount, currency }: Pick<TaskCost, 'amount' | 'currency'>): string {
  return costText(amount, vscode.env.language, currency);
}

function sourceWords(source: TaskCost['source']): string {
  return source === 'user-price' ? vscode.l10n.t('your price') : vscode.l10n.t('the gateway’s price');
}

function unitPrice(model: string, models: readonly Model[]): UnitPrice | undefined {
  const own = readModelRules().videoPrice(model);
  if (own) return { ...own, source: 'user-price' };
  const { perRequest, perSecond } = models.find(({ id }) => id === model)?.price ?? {};
  if (perRequest === undefined && perSecond === undefined) return undefined;
  return {
    ...(perRequest !== undefined && { perRequest }),
    ...(perSecond !== undefined && { perSecond }),
    ...{ currency: 'USD', source: 'listed-price' },
  };
}
