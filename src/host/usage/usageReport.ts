import * as vscode from 'vscode';
import type { UsageGroup, UsageLedger, UsageSum } from '../../conversations/store/usage.ts';
import { costText } from '../models/modelFigures.ts';
import { markdownTable, nameCell } from './markdownTable.ts';

/** How many rows of a table are shown. */
const maxRows = 100;

const daysShown = 31;

/** The sums of the ledger as a Markdown document. */
export function usageReport(usage: Pick<UsageLedger, 'sums'>, now: Date): string {
  const { l10n } = vscode;
  const month = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
  const days = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysShown + 1).getTime();
  const section = (title: string, by: readonly UsageGroup[], from?: number) => {
    const sums = usage.sums({ by, ...(from !== undefined && { from }) });
    return [`## ${title}`, '', ...table(by, sums), ''];
  };
  return [
    `# ${l10n.t('Usage')}`,
    '',
    l10n.t(
      'What the chats on this machine asked for, up to {0}. Deleting a chat does not change it. Run *Show Usage* again to bring it up to date.',
      now.toLocaleString(vscode.env.language),
    ),
    '',
    l10n.t(
      'Costs are in US dollars. *Charged* is what gateways say. *About* is estimated, by your prices ({0}) or by those that gateways list. What nobody tells is unknown, and is in no sum.',
      '`modelGateway.tokenPrices`',
    ),
    '',
    ...section(l10n.t('This Month'), ['model', 'gateway'], month),
    ...section(l10n.t('Days'), ['day'], days),
    ...section(l10n.t('Months'), ['month']),
    ...section(l10n.t('Models'), ['model', 'gateway']),
    ...section(l10n.t('Gateways'), ['gateway']),
  ].join('\n');
}

function table(by: readonly UsageGroup[], sums: readonly UsageSum[]): readonly string[] {
  const { l10n } = vscode;
  if (sums.length === 0) return [l10n.t('Nothing was asked.')];
  const headings = [
    ...by.map(heading),
    ...[l10n.t('Replies'), l10n.t('Tokens In'), l10n.t('Cached'), l10n.t('Tokens Out')],
    ...[l10n.t('Cost'), l10n.t('Without a Price'), l10n.t('Without Counts')],
  ];
  const rows = sums.slice(0, maxRows).map((sum) => row(by, sum));
  const more = sums.length - rows.length;
  return [...markdownTable(headings, rows), ...(more > 0 ? ['', l10n.t('And {0} more.', more)] : [])];
}

function heading(group: UsageGroup): string {
  switch (group) {
    case 'day':
      return vscode.l10n.t('Day');
    case 'month':
      return vscode.l10n.t('Month');
    case 'model':
      return vscode.l10n.t('Model');
    case 'gateway':
      return vscode.l10n.t('Gateway');
  }
}

function row(by: readonly UsageGroup[], sum: UsageSum): readonly string[] {
  const { answers, withoutTokens, withoutPrice } = sum;
  const tokens = (count: number) =>
    count === 0 && withoutTokens === answers
      ? vscode.l10n.t('unknown')
      : count.toLocaleString(vscode.env.language);
  return [
    ...by.map((group) => groupCell(group, sum)),
    String(answers),
    ...[sum.inputTokens, sum.cacheReadTokens, sum.outputTokens].map(tokens),
    costCell(sum),
    ...[withoutPrice, withoutTokens].map((count) => (count === 0 ? '–' : String(count))),
  ];
}

function groupCell(group: UsageGroup, { day, month, model, gateway, gatewayName }: UsageSum): string {
  if (group === 'day') return day ?? '–';
  if (group === 'month') return month ?? '–';
  return nameCell((group === 'model' ? model : (gatewayName ?? gateway)) ?? '');
}

function costCell({ answers, withoutPrice, chargedUsd, estimatedUsd }: UsageSum): string {
  const { language } = vscode.env;
  if (withoutPrice === answers) return vscode.l10n.t('unknown');
  const charged = vscode.l10n.t('charged {0}', costText(chargedUsd, language));
  const about = vscode.l10n.t('about {0}', costText(estimatedUsd, language));
  if (estimatedUsd === 0) return charged;
  return chargedUsd === 0 ? about : `${charged}, ${about}`;
}
