import * as vscode from 'vscode';
import type { UsageGroup, UsageQuery, UsageSum } from '../../conversations/store/usage.ts';
import { factLine } from '../display/listed.ts';
import { costText } from '../models/modelFigures.ts';
import { markdownTable, nameCell } from './markdownTable.ts';

/** How many rows of a table are shown. */
const maxRows = 100;

const daysShown = 31;

/** A table of the document, and the sums that are in it. */
interface Section {
  readonly title: string;
  readonly query: UsageQuery;
}

interface Column {
  readonly heading: string;
  readonly cell: (sum: UsageSum) => string;
}

/** Sums up usage, for each query. */
export type SumUsage = (queries: readonly UsageQuery[]) => Promise<readonly (readonly UsageSum[])[]>;

/** The usage of all chats as a Markdown document. */
export async function usageReport(sumUsage: SumUsage, now: Date): Promise<string> {
  const sections = sectionsOf(now);
  const sums = await sumUsage(sections.map(({ query }) => query));
  return [
    ...introduction(now),
    ...sections.flatMap(({ title, query }, at) => [
      `## ${title}`,
      '',
      ...table(query.by, sums[at] ?? []),
      '',
    ]),
  ].join('\n');
}

function sectionsOf(now: Date): readonly Section[] {
  const { l10n } = vscode;
  const month = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
  const days = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysShown + 1).getTime();
  return [
    { title: l10n.t('This Month'), query: { by: ['model', 'gateway'], from: month } },
    { title: l10n.t('Days'), query: { by: ['day'], from: days } },
    { title: l10n.t('Months'), query: { by: ['month'] } },
    { title: l10n.t('Models'), query: { by: ['model', 'gateway'] } },
    { title: l10n.t('Gateways'), query: { by: ['gateway'] } },
    { title: l10n.t('Requested By'), query: { by: ['asker'] } },
  ];
}

function introduction(now: Date): readonly string[] {
  const { l10n } = vscode;
  return [
    `# ${l10n.t('Usage')}`,
    '',
    l10n.t(
      'Requests from this machine up to {0}: from chats, from VS Code’s own chat and extensions that use it, and from agents that call the tool *Ask a Model*. Deleting a chat does not change this. Run *Show Usage* again to update it.',
      now.toLocaleString(vscode.env.language),
    ),
    '',
    l10n.t(
      'Costs are in US dollars. *Charged* is the cost that gateways report. *About* is an estimate from your prices ({0}) or the prices that gateways list. Unknown costs are not in the sums: *No Price* and *No Counts* are the numbers of such replies. *At least* means that replies ended early and may have cost more.',
      '`modelGateway.tokenPrices`',
    ),
    '',
  ];
}

function table(by: readonly UsageGroup[], sums: readonly UsageSum[]): readonly string[] {
  const { l10n } = vscode;
  if (sums.length === 0) return [l10n.t('No question was sent.')];
  const shown = sums.slice(0, maxRows);
  const columns = [...by.map(groupColumn), ...figureColumns(), ...missingColumns(shown)];
  const headings = columns.map(({ heading }) => heading);
  const rows = shown.map((sum) => columns.map(({ cell }) => cell(sum)));
  const more = sums.length - rows.length;
  return [
    ...markdownTable(headings, rows, by.length),
    ...(more > 0 ? ['', l10n.t('And {0} more.', more)] : []),
  ];
}

function figureColumns(): readonly Column[] {
  const { l10n } = vscode;
  return [
    { heading: l10n.t('Replies'), cell: ({ answers }) => count(answers) },
    { heading: l10n.t('Tokens In'), cell: ({ inputTokens }) => tokens(inputTokens) },
    { heading: l10n.t('Cached'), cell: ({ cacheReadTokens }) => tokens(cacheReadTokens) },
    { heading: l10n.t('Tokens Out'), cell: outputCell },
    { heading: l10n.t('Cost'), cell: costCell },
  ];
}

/** How many replies are in no sum. Where all are, a column would only take the room of others. */
function missingColumns(sums: readonly UsageSum[]): readonly Column[] {
  const { l10n } = vscode;
  const missing = [
    { heading: l10n.t('No Price'), of: ({ withoutPrice }: UsageSum) => withoutPrice },
    { heading: l10n.t('No Counts'), of: ({ withoutTokens }: UsageSum) => withoutTokens },
  ];
  return missing
    .filter(({ of }) => sums.some((sum) => of(sum) > 0))
    .map(({ heading, of }) => ({ heading, cell: (sum) => (of(sum) === 0 ? '–' : count(of(sum))) }));
}

function groupColumn(group: UsageGroup): Column {
  return { heading: heading(group), cell: (sum) => groupCell(group, sum) };
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
    case 'asker':
      return vscode.l10n.t('Requested By');
  }
}

function askerWords(asker: UsageSum['asker']): string {
  switch (asker) {
    case 'vscodeChat':
      return vscode.l10n.t('VS Code’s chat');
    case 'extensions':
      return vscode.l10n.t('Other extensions');
    case 'agents':
      return vscode.l10n.t('Agents, by a tool');
    default:
      return vscode.l10n.t('Chats');
  }
}

function outputCell({ outputTokens, cutTokens }: UsageSum): string {
  const output = tokens(outputTokens);
  return cutTokens > 0 ? vscode.l10n.t('at least {0}', output) : output;
}

function tokens(known: number | undefined): string {
  return known === undefined ? vscode.l10n.t('unknown') : count(known);
}

function count(number: number): string {
  return number.toLocaleString(vscode.env.language);
}

function groupCell(group: UsageGroup, { day, month, model, gateway, gatewayName, asker }: UsageSum): string {
  if (group === 'asker') return askerWords(asker);
  if (group === 'day') return day ?? '–';
  if (group === 'month') return month ?? '–';
  return nameCell((group === 'model' ? model : (gatewayName ?? gateway)) ?? '');
}

/** What replies that ended early cost is said to be at least that, as below each of them. */
function costCell({ chargedUsd, estimatedUsd, cutPrices }: UsageSum): string {
  const charged = chargedUsd === undefined ? undefined : costText(chargedUsd, vscode.env.language);
  const estimated = estimatedUsd === undefined ? undefined : costText(estimatedUsd, vscode.env.language);
  if (charged === undefined && estimated === undefined) return vscode.l10n.t('unknown');
  if (cutPrices > 0) {
    const least = costText((chargedUsd ?? 0) + (estimatedUsd ?? 0), vscode.env.language);
    return vscode.l10n.t('at least {0}', least);
  }
  return factLine([
    charged !== undefined && vscode.l10n.t('charged {0}', charged),
    estimated !== undefined && vscode.l10n.t('about {0}', estimated),
  ]);
}
