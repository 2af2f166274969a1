import * as vscode from 'vscode';
import { reviewSpending, type Spending } from '../../../tasks/record/spending.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import { confirm } from '../../kit/display/notify.ts';
import { settingsSection } from '../../kit/manifest/contributions.ts';
import { isDemoModel } from '../../models/demoModels.ts';
import { readDailyLimit } from '../task/taskSettings.ts';
import { shortPrompt } from '../task/taskWords.ts';
import { moneyText, type PricedRequests, secondsOf, videoCost } from './videoPrice.ts';

/** Equal requests that one click sends. */
export interface Purchase extends PricedRequests {
  readonly prompt: string;
}

/** Whether requests may be sent, and whether that took a question, which takes the focus. */
export interface SpendingConsent {
  readonly isGiven: boolean;
  readonly wasAsked: boolean;
  /** Whether the user's daily limit refused it. */
  readonly isOverLimit?: boolean;
}

/** A question that is asked whatever the number, where somebody else than the user wants to send requests. */
export interface SpendingQuestion {
  readonly text: string;
  /** What else is told, a line each. */
  readonly facts: readonly string[];
}

/**
 * Decides whether requests may be sent. Asks the user when there are unusually many, with their number and,
 * if known, their price. Refuses those beyond the user's daily limit.
 *
 * @param spending the requests that all windows sent of late, read again after the user has answered
 * @param asked the question where the user did not ask for the requests by a click
 */
export async function confirmSpending(
  purchase: Purchase,
  spending: () => Spending,
  models: readonly Model[],
  asked?: SpendingQuestion,
): Promise<SpendingConsent> {
  const { count } = purchase;
  const before = spending();
  const review = reviewSpending(count, before, readDailyLimit());
  const wasAsked = review === 'ask' || (asked !== undefined && review === 'fine');
  if (wasAsked && !(await isConfirmed(purchase, before, models, asked))) return { isGiven: false, wasAsked };
  // Another window may have sent some while the question stood here.
  const now = spending();
  if (reviewSpending(count, now, readDailyLimit()) !== 'too-many') return { isGiven: true, wasAsked };
  await showLimit(count, now);
  return { isGiven: false, wasAsked: true, isOverLimit: true };
}

/** Whether a stored request is within the daily limit. Tells the user when it is not. */
export async function isWithinLimit(spending: Spending): Promise<boolean> {
  if (reviewSpending(0, spending, readDailyLimit()) !== 'too-many') return true;
  await showLimit(1, { ...spending, inLastDay: spending.inLastDay - 1 });
  return false;
}

async function isConfirmed(
  purchase: Purchase,
  { inLastHour }: Spending,
  models: readonly Model[],
  asked?: SpendingQuestion,
): Promise<boolean> {
  const { count, model, gateway, prompt } = purchase;
  const send = count === 1 ? vscode.l10n.t('Send 1 Request') : vscode.l10n.t('Send {0} Requests', count);
  const question =
    count === 1
      ? vscode.l10n.t('Send one more request to {0}?', gateway.name)
      : vscode.l10n.t('Send {0} requests to {1}?', count, gateway.name);
  const detail = [
    [model, lengthWords(purchase), `“${shortPrompt(prompt, 200)}”`].filter(Boolean).join(' · '),
    ...(asked ? [asked.facts.join('\n')] : []),
    totalWords(purchase, models),
    inLastHour > 0 ? vscode.l10n.t('Sent in the last hour: {0}.', inLastHour) : '',
  ];
  return (await confirm(asked?.text ?? question, detail.filter(Boolean).join('\n\n'), send)) === send;
}

async function showLimit(count: number, { inLastDay }: Spending): Promise<void> {
  const change = vscode.l10n.t('Change Limit');
  const chosen = await confirm(
    vscode.l10n.t('Nothing was sent: that would be more than your daily limit.'),
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

function totalWords(purchase: Purchase, models: readonly Model[]): string {
  const { count, gateway, model } = purchase;
  if (isDemoModel(gateway, model)) return vscode.l10n.t('The demo is free.');
  const cost = videoCost(purchase, models);
  if (cost) return vscode.l10n.t('About {0} in total.', moneyText(cost));
  return count === 1
    ? vscode.l10n.t('The price is unknown. It may be billed.')
    : vscode.l10n.t('The price is unknown. Each of them may be billed.');
}

function lengthWords(purchase: Purchase): string {
  const seconds = secondsOf(purchase);
  if (seconds === undefined) return '';
  return purchase.count === 1 ? vscode.l10n.t('{0} s', seconds) : vscode.l10n.t('{0} s each', seconds);
}
