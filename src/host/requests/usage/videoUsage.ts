import * as vscode from 'vscode';
import type { TaskUsage } from '../../../tasks/record/taskSpending.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { costText } from '../../models/modelFigures.ts';
import { markdownTable, nameCell } from './markdownTable.ts';

/** The sums of requests for videos. */
export interface VideoSum {
  readonly model: string;
  readonly gatewayName: string;
  readonly videos: number;
  readonly failed: number;
  readonly seconds: number;
  readonly withoutSeconds: number;
  readonly withoutPrice: number;
  /** The costs in each currency. */
  readonly charged: ReadonlyMap<string, number>;
  readonly estimated: ReadonlyMap<string, number>;
}

/** Sums up usage by model and gateway, the most videos first. */
function videoSums(usage: readonly TaskUsage[]): readonly VideoSum[] {
  const groups = Map.groupBy(usage, ({ model, gateway }) => JSON.stringify([model, gateway]));
  return [...groups.values()].map(videoSum).toSorted((one, other) => other.videos - one.videos);
}

/** The sum of all entries, with the names of the first entry. */
export function videoSum(usage: readonly TaskUsage[]): VideoSum {
  const total = (figure: (each: TaskUsage) => number) => usage.reduce((sum, each) => sum + figure(each), 0);
  const priced = usage.filter(({ currency, tasks, failed }) => currency !== undefined && tasks > failed);
  return {
    model: usage[0]?.model ?? '',
    gatewayName: usage[0]?.gatewayName ?? '',
    videos: total(({ tasks }) => tasks),
    failed: total(({ failed }) => failed),
    seconds: total(({ seconds }) => seconds),
    withoutSeconds: total(({ withoutSeconds }) => withoutSeconds),
    withoutPrice: total(({ currency, tasks, failed }) => (currency === undefined ? tasks - failed : 0)),
    charged: byCurrency(priced.filter(({ isCharged }) => isCharged)),
    estimated: byCurrency(priced.filter(({ isCharged }) => !isCharged)),
  };
}

/** The known costs in words; undefined if none is known. */
export function videoCostText({ charged, estimated }: Pick<VideoSum, 'charged' | 'estimated'>) {
  const texts = (sums: ReadonlyMap<string, number>) =>
    [...sums].map(([currency, amount]) => costText(amount, vscode.env.language, currency));
  const words = joinFacts([
    ...texts(charged).map((sum) => vscode.l10n.t('charged {0}', sum)),
    ...texts(estimated).map((sum) => vscode.l10n.t('about {0}', sum)),
  ]);
  return words === '' ? undefined : words;
}

/** A table of videos by model and gateway. */
export function videoTable(usage: readonly TaskUsage[], maxRows: number): readonly string[] {
  const { l10n } = vscode;
  const sums = videoSums(usage);
  const shownSums = sums.slice(0, maxRows);
  const optionalColumns = [
    { heading: l10n.t('Failed'), figure: ({ failed }: VideoSum) => failed },
    { heading: l10n.t('No Price'), figure: ({ withoutPrice }: VideoSum) => withoutPrice },
  ].filter(({ figure }) => shownSums.some((sum) => figure(sum) > 0));
  const headings = [
    l10n.t('Model'),
    l10n.t('Gateway'),
    l10n.t('Videos'),
    l10n.t('Seconds'),
    l10n.t('Cost'),
    ...optionalColumns.map(({ heading }) => heading),
  ];
  const rows = shownSums.map((sum) => [
    nameCell(sum.model),
    nameCell(sum.gatewayName),
    numberText(sum.videos),
    secondsCell(sum),
    videoCostText(sum) ?? l10n.t('unknown'),
    ...optionalColumns.map(({ figure }) => (figure(sum) === 0 ? '–' : numberText(figure(sum)))),
  ]);
  const more = sums.length - rows.length;
  return [...markdownTable(headings, rows, 2), ...(more > 0 ? ['', l10n.t('And {0} more.', more)] : [])];
}

function secondsCell({ seconds, withoutSeconds }: VideoSum): string {
  if (seconds === 0) return withoutSeconds > 0 ? vscode.l10n.t('unknown') : '–';
  return withoutSeconds > 0 ? vscode.l10n.t('at least {0}', numberText(seconds)) : numberText(seconds);
}

function byCurrency(usage: readonly TaskUsage[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { currency = '', cost } of usage) sums.set(currency, (sums.get(currency) ?? 0) + cost);
  return sums;
}

function numberText(number: number): string {
  return number.toLocaleString(vscode.env.language, { maximumFractionDigits: 1 });
}
