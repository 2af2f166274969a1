import * as vscode from 'vscode';
import { formatLocalDate } from '../../../base/localDate.ts';
import type { UsageGroup, UsageQuery, UsageSum } from '../../../conversations/store/usageLedger.ts';
import type { LimitUse } from '../../../storage/spending/spendingLimit.ts';
import type { TaskUsage } from '../../../tasks/record/taskSpending.ts';
import { formatCount } from '../../kit/countWords.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { costText } from '../../models/modelFigures.ts';
import { initiatorName } from '../../models/spendingWords.ts';
import { markdownTable, nameCell } from './markdownTable.ts';
import { lastDays, limitBars, usageChart } from './usageCharts.ts';
import { type VideoSum, videoCostText, videoSum, videoTable } from './videoUsage.ts';

/** The most rows of a table. */
const maxRows = 100;

const shownDays = 31;

/** A table of the document, and its query. */
interface Section {
  readonly title: string;
  readonly query: UsageQuery;
}

interface Column {
  readonly heading: string;
  readonly cell: (sum: UsageSum) => string;
}

/** The data sources of the document. */
export interface UsageSources {
  /** Returns the sums for each query. */
  readonly sumUsage: (queries: readonly UsageQuery[]) => Promise<readonly (readonly UsageSum[])[]>;
  /** The requests for videos, also of tasks that were removed from the list. */
  readonly videoUsage: () => readonly TaskUsage[];
  readonly limitUses: () => Promise<readonly LimitUse[]>;
  /** Why the limits cannot be read; undefined if they can. */
  readonly limitProblem: () => string | undefined;
}

/** The usage of this machine as a Markdown document: a total, a chart and tables, and explanations at the end. */
export async function usageReport(
  { sumUsage, videoUsage, limitUses, limitProblem }: UsageSources,
  now: Date,
): Promise<string> {
  const sections = createSections(now);
  const [[total] = [], ...sums] = await sumUsage([
    { by: [], from: startOfMonth(now).getTime() },
    ...sections.map(({ query }) => query),
  ]);
  const videos = videoUsage();
  const firstOfMonth = formatLocalDate(startOfMonth(now));
  const monthVideos = videos.filter(({ day }) => day >= firstOfMonth);
  const [month, ...others] = sections.map(({ title, query }, index) => {
    const sectionSums = sums[index] ?? [];
    return sectionSums.length === 0 ? [] : [`## ${title}`, '', ...usageTable(query.by, sectionSums), ''];
  });
  return [
    `# ${vscode.l10n.t('Usage')}`,
    '',
    ...totalLine(total, videoSum(monthVideos)),
    '',
    ...limitBars(await limitUses(), limitProblem()),
    ...dayChart(sums[sections.findIndex(({ query }) => query.by.includes('day'))] ?? [], videos, now),
    ...(month ?? []),
    ...videoSection(vscode.l10n.t('Videos This Month'), monthVideos),
    ...others.flat(),
    ...videoSection(vscode.l10n.t('Videos'), videos),
    ...explanations(now),
  ].join('\n');
}

function startOfMonth(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), 1);
}

function createSections(now: Date): readonly Section[] {
  const { l10n } = vscode;
  const month = startOfMonth(now).getTime();
  const days = new Date(now.getFullYear(), now.getMonth(), now.getDate() - shownDays + 1).getTime();
  return [
    { title: l10n.t('This Month'), query: { by: ['model', 'gateway'], from: month } },
    { title: l10n.t('Days'), query: { by: ['day'], from: days } },
    { title: l10n.t('Months'), query: { by: ['month'] } },
    { title: l10n.t('Models'), query: { by: ['model', 'gateway'] } },
    { title: l10n.t('Gateways'), query: { by: ['gateway'] } },
    { title: l10n.t('Requested By'), query: { by: ['initiator'] } },
  ];
}

/** The cost of this month, followed by the numbers of replies and videos. */
function totalLine(replies: UsageSum | undefined, videos: VideoSum): readonly string[] {
  const { l10n } = vscode;
  const replyCount = replies?.replies ?? 0;
  if (replyCount + videos.videos === 0) return [`**${l10n.t('This month: no requests.')}**`];
  const withoutPrice = (replies?.withoutPrice ?? 0) + videos.withoutPrice;
  const facts = [
    replyCount > 0 && l10n.t('replies: {0}', formatCount(replyCount)),
    videos.videos > 0 && l10n.t('videos: {0}', formatCount(videos.videos)),
    withoutPrice > 0 && l10n.t('without a price: {0}', formatCount(withoutPrice)),
  ];
  return [`**${l10n.t('This month: {0}', totalCost(replies, videos))}**`, '', `${joinFacts(facts)}`];
}

function totalCost(replies: UsageSum | undefined, videos: VideoSum): string {
  const charged = new Map(videos.charged);
  const estimated = new Map(videos.estimated);
  addDollars(charged, replies?.chargedUsd);
  addDollars(estimated, replies?.estimatedUsd);
  const cost = videoCostText({ charged, estimated }) ?? vscode.l10n.t('cost unknown');
  return (replies?.cutPrices ?? 0) > 0 ? vscode.l10n.t('at least {0}', cost) : cost;
}

function addDollars(sums: Map<string, number>, usd: number | undefined): void {
  if (usd !== undefined) sums.set('USD', (sums.get('USD') ?? 0) + usd);
}

/** The cost of each day in dollars. If no cost is known, the number of replies and videos. */
function dayChart(replies: readonly UsageSum[], videos: readonly TaskUsage[], now: Date): readonly string[] {
  const { l10n } = vscode;
  const figures = (ofReply: (sum: UsageSum) => number, ofVideo: (usage: TaskUsage) => number) => {
    const values = new Map(lastDays(now, shownDays).map((day) => [day, 0]));
    const add = (day: string | undefined, value: number) => {
      const before = values.get(day ?? '');
      if (day !== undefined && before !== undefined) values.set(day, before + value);
    };
    for (const sum of replies) add(sum.day, ofReply(sum));
    for (const usage of videos) add(usage.day, ofVideo(usage));
    return [...values].map(([day, value]) => ({ day, value }));
  };
  const costs = figures(
    ({ chargedUsd = 0, estimatedUsd = 0 }) => chargedUsd + estimatedUsd,
    ({ currency, cost }) => (currency === 'USD' ? cost : 0),
  );
  if (costs.some(({ value }) => value > 0)) {
    const valueText = (usd: number) => costText(usd, vscode.env.language);
    return usageChart(costs, { title: l10n.t('Known cost by day'), valueText });
  }
  const numbers = figures(
    ({ replies }) => replies,
    ({ tasks }) => tasks,
  );
  return usageChart(numbers, { title: l10n.t('Replies and videos by day'), valueText: formatCount });
}

function videoSection(title: string, usage: readonly TaskUsage[]): readonly string[] {
  return usage.length === 0 ? [] : [`## ${title}`, '', ...videoTable(usage, maxRows), ''];
}

function explanations(now: Date): readonly string[] {
  const { l10n } = vscode;
  return [
    `## ${l10n.t('About These Numbers')}`,
    '',
    l10n.t(
      'These numbers cover requests from this machine up to {0}: from chats, from VS Code’s own chat and extensions that use it, from agents that call the tool *Ask a Gateway Model*, and for videos. Deleting a chat or removing a task does not change them. Run *Show Usage* again to update them.',
      now.toLocaleString(vscode.env.language),
    ),
    '',
    l10n.t(
      'Costs of replies are in US dollars. *Charged* is the cost reported by gateways. *About* is an estimate based on your prices ({0}) or the prices listed by gateways. Unknown costs are not included in the totals; *No Price* and *No Counts* show the number of such replies and videos. *At least* means that replies ended early and may have cost more. Failed videos are counted without a cost.',
      '`modelGateway.models`',
    ),
    '',
  ];
}

function usageTable(by: readonly UsageGroup[], sums: readonly UsageSum[]): readonly string[] {
  const { l10n } = vscode;
  const shownSums = sums.slice(0, maxRows);
  const columns = [
    ...by.map((group) => ({ heading: groupHeading(group), cell: (sum: UsageSum) => groupCell(group, sum) })),
    ...figureColumns(),
    ...missingColumns(shownSums),
  ];
  const headings = columns.map(({ heading }) => heading);
  const rows = shownSums.map((sum) => columns.map(({ cell }) => cell(sum)));
  const more = sums.length - rows.length;
  return [
    ...markdownTable(headings, rows, by.length),
    ...(more > 0 ? ['', l10n.t('And {0} more.', more)] : []),
  ];
}

function figureColumns(): readonly Column[] {
  const { l10n } = vscode;
  return [
    { heading: l10n.t('Replies'), cell: ({ replies }) => formatCount(replies) },
    { heading: l10n.t('Tokens In'), cell: ({ inputTokens }) => tokenText(inputTokens) },
    { heading: l10n.t('Cached'), cell: cachedCell },
    { heading: l10n.t('Tokens Out'), cell: outputCell },
    { heading: l10n.t('Cost'), cell: costCell },
  ];
}

/** The columns for replies that the sums do not include; none if there are no such replies. */
function missingColumns(sums: readonly UsageSum[]): readonly Column[] {
  const { l10n } = vscode;
  const missing = [
    { heading: l10n.t('No Price'), figure: ({ withoutPrice }: UsageSum) => withoutPrice },
    { heading: l10n.t('No Counts'), figure: ({ withoutTokens }: UsageSum) => withoutTokens },
  ];
  return missing
    .filter(({ figure }) => sums.some((sum) => figure(sum) > 0))
    .map(({ heading, figure }) => ({
      heading,
      cell: (sum) => (figure(sum) === 0 ? '–' : formatCount(figure(sum))),
    }));
}

function groupHeading(group: UsageGroup): string {
  switch (group) {
    case 'day':
      return vscode.l10n.t('Day');
    case 'month':
      return vscode.l10n.t('Month');
    case 'model':
      return vscode.l10n.t('Model');
    case 'gateway':
      return vscode.l10n.t('Gateway');
    case 'initiator':
      return vscode.l10n.t('Requested By');
  }
}

function outputCell({ outputTokens, cutTokens }: UsageSum): string {
  const output = tokenText(outputTokens);
  return cutTokens > 0 ? vscode.l10n.t('at least {0}', output) : output;
}

/** The cached tokens, with their share of the tokens in. */
function cachedCell({ cachedTokens: cached, inputTokens = 0 }: UsageSum): string {
  if (cached === undefined || cached === 0) return tokenText(cached);
  // Some gateways report the input without its cached part.
  const total = cached > inputTokens ? inputTokens + cached : inputTokens;
  const percent = Math.max(1, Math.round((cached / total) * 100));
  return vscode.l10n.t('{0} ({1} %)', formatCount(cached), percent);
}

function tokenText(tokenCount: number | undefined): string {
  return tokenCount === undefined ? vscode.l10n.t('unknown') : formatCount(tokenCount);
}

function groupCell(
  group: UsageGroup,
  { day, month, model, gateway, gatewayName, initiator }: UsageSum,
): string {
  if (group === 'initiator') return initiatorName(initiator ?? 'chats');
  if (group === 'day') return day ?? '–';
  if (group === 'month') return month ?? '–';
  return nameCell((group === 'model' ? model : (gatewayName ?? gateway)) ?? '');
}

/** The cost. If replies ended early, the sum is a minimum. */
function costCell({ chargedUsd, estimatedUsd, cutPrices }: UsageSum): string {
  const charged = chargedUsd === undefined ? undefined : costText(chargedUsd, vscode.env.language);
  const estimated = estimatedUsd === undefined ? undefined : costText(estimatedUsd, vscode.env.language);
  if (charged === undefined && estimated === undefined) return vscode.l10n.t('unknown');
  if (cutPrices > 0) {
    const minimumCost = costText((chargedUsd ?? 0) + (estimatedUsd ?? 0), vscode.env.language);
    return vscode.l10n.t('at least {0}', minimumCost);
  }
  return joinFacts([
    charged !== undefined && vscode.l10n.t('charged {0}', charged),
    estimated !== undefined && vscode.l10n.t('about {0}', estimated),
  ]);
}
