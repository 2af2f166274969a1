import * as vscode from 'vscode';
import { fromBillionths, type LimitUse, type SpendingLimit } from '../../storage/spending/spendingLimit.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import { costText } from './modelFigures.ts';

/** The senders that requests are counted for. */
export const initiators = ['chats', 'vscodeChat', 'agents', 'extensions', 'videos'] as const;

type Initiator = (typeof initiators)[number];

/** The name of a sender that requests are counted for. */
export function initiatorName(initiator: Initiator): string {
  switch (initiator) {
    case 'vscodeChat':
      return vscode.l10n.t('VS Code’s chat');
    case 'extensions':
      return vscode.l10n.t('Other extensions');
    case 'agents':
      return vscode.l10n.t('Agents, through tools');
    case 'videos':
      return vscode.l10n.t('Videos');
    case 'chats':
      return vscode.l10n.t('Chats');
  }
}

/** The default name of a limit. */
export function limitName(
  limit: Pick<SpendingLimit, 'per' | 'allowed' | 'currency'>,
  gateway: string | undefined,
  initiator: Initiator | undefined,
): string {
  const amount = amountWords(limit, limit.allowed);
  const perPeriod =
    limit.per === 'day' ? vscode.l10n.t('{0} a day', amount) : vscode.l10n.t('{0} a month', amount);
  return joinFacts([perPeriod, gateway, initiator && initiatorName(initiator)]);
}

/** An amount of a limit with its unit: money, or tokens. */
export function amountWords({ currency }: Pick<SpendingLimit, 'currency'>, amount: number): string {
  return currency === undefined
    ? vscode.l10n.t('{0} tokens', amount.toLocaleString(vscode.env.language))
    : costText(fromBillionths(amount), vscode.env.language, currency);
}

/** The used amount. If requests without a price were sent, the amount is a minimum. */
export function usedWords({ limit, used, unpriced }: LimitUse): string {
  const amount = amountWords(limit, used);
  return unpriced > 0 ? vscode.l10n.t('at least {0}', amount) : amount;
}

export function resetWords({ resetsAt }: LimitUse): string {
  return new Date(resetsAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
