import * as vscode from 'vscode';
import type { Task, TaskCost } from '../../../tasks/record/task.ts';
import { reviewSpending, type Spending } from '../../../tasks/record/taskSpending.ts';
import type { TaskService } from '../../../tasks/taskService.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { Connection } from '../../connection/connection.ts';
import { confirm } from '../../kit/display/notify.ts';
import { settingsSection } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { costText } from '../../models/modelFigures.ts';
import { type PricedRequests, readVideoSeconds, unitPrice, videoCost } from '../../models/videoCost.ts';
import { toTaskGateway } from '../task/taskGateways.ts';
import { readDailyLimit } from '../task/taskSettings.ts';
import { shortenPrompt } from '../task/taskWords.ts';
import { createNotSentError } from './ledgerMessages.ts';

/** Equal requests of one click. */
export interface Purchase extends PricedRequests {
  readonly prompt: string;
}

/** Whether requests may be sent, and whether a dialog was shown, which takes the focus. */
export interface SpendingConsent {
  readonly isGiven: boolean;
  readonly hasShownDialog: boolean;
  /** Whether the consent is missing because of the user's daily limit. */
  readonly isOverLimit?: boolean;
}

/** The question about requests that do not come from a click of the user. Shown for any number of requests. */
interface SpendingQuestion {
  readonly text: string;
  /** More facts, one per line. */
  readonly facts: readonly string[];
}

/**
 * Decides whether requests may be sent. Prompts the user if they are unusually many, with their number and, if known,
 * their price. Refuses requests that exceed the user's daily limit.
 *
 * @param readSpending reads the recent requests of all windows; called again after the user has answered
 * @param customQuestion the question for requests that do not come from a click of the user
 */
export async function confirmSpending(
  purchase: Purchase,
  readSpending: () => Spending,
  models: readonly Model[],
  customQuestion?: SpendingQuestion,
): Promise<SpendingConsent> {
  const { count } = purchase;
  const before = readSpending();
  const review = reviewSpending(count, before, readDailyLimit());
  const hasShownDialog = review === 'confirm' || (customQuestion !== undefined && review === 'fine');
  if (hasShownDialog && !(await confirmPurchase(purchase, before, models, customQuestion)))
    return { isGiven: false, hasShownDialog };
  // Another window may have sent requests while the question was open.
  const now = readSpending();
  if (reviewSpending(count, now, readDailyLimit()) !== 'too-many') return { isGiven: true, hasShownDialog };
  await showLimit(count, now);
  return { isGiven: false, hasShownDialog: true, isOverLimit: true };
}

/** Whether a stored request is within the daily limit. Informs the user if it is not. */
export async function isWithinLimit(spending: Spending): Promise<boolean> {
  if (reviewSpending(0, spending, readDailyLimit()) !== 'too-many') return true;
  await showLimit(1, { ...spending, inLastDay: spending.inLastDay - 1 });
  return false;
}

async function confirmPurchase(
  purchase: Purchase,
  { inLastHour }: Spending,
  models: readonly Model[],
  customQuestion?: SpendingQuestion,
): Promise<boolean> {
  const { count, model, gateway, prompt } = purchase;
  const send = count === 1 ? vscode.l10n.t('Send 1 Request') : vscode.l10n.t('Send {0} Requests', count);
  const question =
    count === 1
      ? vscode.l10n.t('Send one more request to {0}?', gateway.name)
      : vscode.l10n.t('Send {0} requests to {1}?', count, gateway.name);
  const detail = [
    [model, describeLength(purchase), `“${shortenPrompt(prompt, 200)}”`].filter(Boolean).join(' · '),
    ...(customQuestion ? [customQuestion.facts.join('\n')] : []),
    describeTotal(purchase, models),
    inLastHour > 0 ? vscode.l10n.t('Sent in the last hour: {0}.', inLastHour) : '',
  ];
  return (
    (await confirm(customQuestion?.text ?? question, detail.filter(Boolean).join('\n\n'), send)) === send
  );
}

async function showLimit(count: number, { inLastDay }: Spending): Promise<void> {
  const change = vscode.l10n.t('Change Limit');
  const chosen = await confirm(
    vscode.l10n.t('Nothing was sent: this would exceed your daily limit.'),
    vscode.l10n.t(
      'Sent in the last 24 hours: {0}. Requested now: {1}. Your limit: {2}.',
      inLastDay,
      count,
      readDailyLimit(),
    ),
    change,
  );
  if (chosen !== change) return;
  await vscode.commands.executeCommand(
    'workbench.action.openSettings',
    `${settingsSection}.tasks.dailyLimit`,
  );
}

function describeTotal(purchase: Purchase, models: readonly Model[]): string {
  const { count, gateway, model } = purchase;
  if (isDemoModel(gateway, model)) return vscode.l10n.t('The demo is free.');
  const cost = videoCost(purchase, models);
  if (cost) return vscode.l10n.t('About {0} in total.', formatMoney(cost));
  return count === 1
    ? vscode.l10n.t('The price is unknown. The request may be billed.')
    : vscode.l10n.t('The price is unknown. Each request may be billed.');
}

function describeLength(purchase: Purchase): string {
  const seconds = readVideoSeconds(purchase);
  if (seconds === undefined) return '';
  return purchase.count === 1 ? vscode.l10n.t('{0} s', seconds) : vscode.l10n.t('{0} s each', seconds);
}

interface PurchaseServices {
  readonly connection: Connection;
  readonly tasks: TaskService;
}

/**
 * Sends requests that the user agreed to, each once.
 *
 * @param submissionToken with a used token, no request is sent
 * @throws if the requests cannot be stored first; then they are not sent
 */
export async function sendPurchase(
  { connection, tasks }: PurchaseServices,
  purchase: Purchase,
  submissionToken: string,
): Promise<readonly Task[]> {
  const { count, gateway, ...request } = purchase;
  const { models } = connection.get(gateway).state;
  const cost = videoCost({ ...purchase, count: 1 }, models);
  const seconds = readVideoSeconds(purchase);
  // Starts a local gateway that the user stopped. If that fails, the task records why.
  if (gateway.kind === 'local')
    await connection
      .get(gateway)
      .getClient()
      .catch(() => undefined);
  const draft = {
    ...request,
    ...toTaskGateway(gateway),
    ...(seconds !== undefined && { seconds }),
    ...(cost && { cost }),
  };
  return tasks.create(draft, submissionToken, count).catch((error) => {
    throw createNotSentError(error);
  });
}

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

/** Formats a sum of money. A small sum is not shown as 0. */
function formatMoney({ amount, currency }: Pick<TaskCost, 'amount' | 'currency'>): string {
  return costText(amount, vscode.env.language, currency);
}

function describeSource(source: TaskCost['source']): string {
  return source === 'user-price' ? vscode.l10n.t('your price') : vscode.l10n.t('the gateway’s price');
}
