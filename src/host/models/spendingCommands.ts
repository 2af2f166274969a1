import * as vscode from 'vscode';
import {
  type LimitUse,
  limitKey,
  type SpendingLimit,
  toBillionths,
  toValidTokens,
} from '../../storage/spending/spendingLimit.ts';
import { notify } from '../kit/display/notify.ts';
import { pick, requestText } from '../kit/display/quickInput.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { settingsSection } from '../kit/manifest/contributions.ts';
import { getActionLabel } from '../kit/noticeActions.ts';
import type { ModelServices } from './modelServices.ts';
import { amountWords, usedWords } from './spendingWords.ts';

/** Increases a limit for the rest of today: the argument, or else the only limit, or else one that the user picks. */
async function raiseSpendingLimit({ spending }: ModelServices, argument?: unknown): Promise<void> {
  const { problem } = spending;
  if (problem !== undefined) return showWithLimits('warning', problem);
  const uses = (await spending.uses()).toSorted((one, other) => usedShare(other) - usedShare(one));
  if (uses.length === 0) return showWithLimits('info', vscode.l10n.t('No spending limit is set.'));
  const use = uses.find(({ limit }) => isLimitOf(limit, argument)) ?? (await pickUse(uses));
  if (!use) return;
  const { limit } = use;
  const text = await requestText({
    title: limit.name,
    prompt:
      limit.currency === undefined
        ? vscode.l10n.t('How many more tokens are allowed today?')
        : vscode.l10n.t('How much more is allowed today, in {0}?', limit.currency),
    problem: (entered) =>
      parseAmount(limit, entered) ? undefined : vscode.l10n.t('Enter a number greater than 0.'),
  });
  const addition = text === undefined ? undefined : parseAmount(limit, text);
  if (!addition) return;
  await spending.increase(limit, addition);
  const raised = amountWords(limit, use.allowed + addition);
  await notify('info', vscode.l10n.t('Today, the spending limit “{0}” allows {1}.', limit.name, raised));
}

/** Shows a message with the button that opens the setting. */
async function showWithLimits(severity: 'info' | 'warning', text: string): Promise<void> {
  const open = getActionLabel('open-limits');
  const chosen = await notify(severity, text, open);
  if (chosen === open) await openSpendingLimits();
}

async function pickUse(uses: readonly LimitUse[]): Promise<LimitUse | undefined> {
  if (uses.length < 2) return uses[0];
  const choices = uses.map((use) => ({
    label: use.limit.name,
    description: vscode.l10n.t('{0} of {1}', usedWords(use), amountWords(use.limit, use.allowed)),
    use,
  }));
  return (await pick(choices, { title: vscode.l10n.t('Raise a Spending Limit for Today') }))?.use;
}

function usedShare({ used, allowed }: LimitUse): number {
  return used / allowed;
}

function isLimitOf(limit: SpendingLimit, argument: unknown): boolean {
  const requested = argument as SpendingLimit | undefined;
  return typeof requested?.per === 'string' && limitKey(limit) === limitKey(requested);
}

/**
 * An entered amount in the unit of a limit; undefined if it is not a valid amount. A comma in money is a decimal
 * point, because reading it as a group separator could allow a thousand times as much as the user wants.
 */
function parseAmount({ currency }: SpendingLimit, entered: string): number | undefined {
  const text = entered.trim();
  if (currency !== undefined) {
    return /^\d*[.,]?\d+$/.test(text) ? toBillionths(Number(text.replace(',', '.'))) : undefined;
  }
  const digits = /^\d+$|^\d{1,3}(?:[\s.,_'’]\d{3})+$/.test(text) ? text.replace(/\D/g, '') : '';
  return toValidTokens(Number(digits));
}

async function openSpendingLimits(): Promise<void> {
  const setting = `${settingsSection}.spendingLimits`;
  await vscode.commands.executeCommand('workbench.action.openSettings', setting);
}

/** The commands of spending limits, by their ids. */
export const spendingCommands = {
  raiseSpendingLimit,
  openSpendingLimits,
} satisfies CommandTable<ModelServices>;
