import * as vscode from 'vscode';
import type { TaskCost } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { costText } from '../../models/modelFigures.ts';
import { type PricedRequests, unitPrice, videoCost } from '../../models/videoCost.ts';

/** Describes the price of requests, for the text next to the button that sends them. */
export function describePrice(requests: PricedRequests, models: readonly Model[]): string {
  const { gateway, model } = requests;
  if (isDemoModel(gateway, model)) return vscode.l10n.t('Free: the demo is not billed');
  const cost = videoCost(requests, models);
  if (cost) return vscode.l10n.t('About {0} ({1})', formatMoney(cost), describeSource(cost.source));
  const price = unitPrice(model, models);
  if (price?.perSecond === undefined) return vscode.l10n.t('Price unknown');
  const perSecond = formatMoney({ amount: price.perSecond, currency: price.currency });
  return vscode.l10n.t('{0} per second ({1})', perSecond, describeSource(price.source));
}

/** Formats a sum of money, never as 0 unless it is 0. */
export function formatMoney({ amount, currency }: Pick<TaskCost, 'amount' | 'currency'>): string {
  return costText(amount, vscode.env.language, currency);
}

function describeSource(source: TaskCost['source']): string {
  return source === 'user-price' ? vscode.l10n.t('your price') : vscode.l10n.t('the gateway’s price');
}
