import * as vscode from 'vscode';
import type { TaskCost } from '../../../tasks/record/task.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { costText } from '../../models/modelFigures.ts';
import { type PricedRequests, unitPrice, videoCost } from '../../models/videoCost.ts';

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
