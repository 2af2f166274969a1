import * as vscode from 'vscode';
import { formatLocalDate } from '../../../base/localDate.ts';
import type { LimitUse } from '../../../storage/spending/spendingLimit.ts';
import { amountWords, resetWords, usedWords } from '../../models/spendingWords.ts';
import { nameCell } from './markdownTable.ts';

/** The usage of one day. */
interface DayFigure {
  /** Such as `2030-01-31`. */
  readonly day: string;
  readonly value: number;
}

interface ChartWords {
  /** The title of the bars. */
  readonly title: string;
  /** The text of a value. */
  readonly valueText: (value: number) => string;
}

const barWidth = 20;
const barGap = 4;
const chartHeight = 96;

/**
 * A bar chart as an image within Markdown, with a caption. Empty if no day has a value. The report also has a table
 * of the numbers.
 *
 * @param days in their order, without gaps
 */
export function usageChart(days: readonly DayFigure[], { title, valueText }: ChartWords): readonly string[] {
  const peak = days.reduce((most, each) => (each.value > most.value ? each : most), { day: '', value: 0 });
  const [first, last] = [days[0], days.at(-1)];
  if (peak.value <= 0 || !first || !last) return [];
  const width = days.length * (barWidth + barGap);
  const bars = days.flatMap(({ day, value }, index) => {
    if (value <= 0) return [];
    const barHeight = Math.max(2, Math.round((value / peak.value) * chartHeight));
    const tooltip = `<title>${dayName(day)}: ${valueText(value)}</title>`;
    return `<rect x="${index * (barWidth + barGap)}" y="${chartHeight - barHeight}" width="${barWidth}" height="${barHeight}" fill="var(--vscode-charts-blue, currentColor)">${tooltip}</rect>`;
  });
  const caption = vscode.l10n.t(
    '{0}, from {1} to {2}. Peak: {3} on {4}.',
    title,
    dayName(first.day),
    dayName(last.day),
    valueText(peak.value),
    dayName(peak.day),
  );
  return [
    '<div>',
    `<svg role="img" aria-label="${title}" viewBox="0 0 ${width} ${chartHeight + 2}" width="100%" height="${chartHeight + 2}" preserveAspectRatio="none" style="max-width: ${width}px; display: block">`,
    ...bars,
    `<rect x="0" y="${chartHeight}" width="${width}" height="1" fill="currentColor" opacity="0.5"/>`,
    '</svg>',
    '</div>',
    '',
    caption,
    '',
  ];
}

/** The days up to today, the oldest first, such as `2030-01-31`. */
export function lastDays(now: Date, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    formatLocalDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1 + index)),
  );
}

function dayName(day: string): string {
  return new Date(`${day}T00:00`).toLocaleDateString(vscode.env.language, { month: 'short', day: 'numeric' });
}

const limitBarWidth = 400;
const limitBarHeight = 12;

/**
 * The spending limits as Markdown, each with a bar. The text above a bar contains the same information.
 *
 * @param problem why the limits cannot be read, which is shown instead of the bars
 */
export function limitBars(uses: readonly LimitUse[], problem: string | undefined): readonly string[] {
  const lines = problem === undefined ? uses.flatMap(limitLines) : [nameCell(problem, 500), ''];
  return lines.length === 0 ? [] : [`## ${vscode.l10n.t('Spending Limits')}`, '', ...lines];
}

function limitLines(use: LimitUse): readonly string[] {
  const { l10n } = vscode;
  const { limit, used, failed, reserved, allowed } = use;
  const percent = Math.floor((used / allowed) * 100);
  const facts = [
    l10n.t('{0} of {1} used ({2} %)', usedWords(use), amountWords(limit, allowed), percent),
    ...(allowed > limit.allowed ? [l10n.t('raised for today')] : []),
    ...(failed > 0
      ? [l10n.t('{0} of it for failed videos, which may not be billed', amountWords(limit, failed))]
      : []),
    ...(reserved > 0 ? [l10n.t('up to {0} in progress', amountWords(limit, reserved))] : []),
    l10n.t('resets on {0}', resetWords(use)),
  ];
  return [
    `**${nameCell(limit.name)}** · ${facts.join(' · ')}`,
    '',
    ...limitBar(percent, l10n.t('{0} % used', percent)),
    '',
  ];
}

/** A bar as an image. Its frame has the colour of the text, so that it is visible in high contrast. */
function limitBar(percent: number, label: string): readonly string[] {
  const colour = percent >= 100 ? 'red' : percent >= 80 ? 'orange' : 'blue';
  const filled = (Math.min(100, percent) / 100) * limitBarWidth;
  return [
    '<div>',
    `<svg role="img" aria-label="${label}" viewBox="0 0 ${limitBarWidth} ${limitBarHeight}" width="100%" height="${limitBarHeight}" preserveAspectRatio="none" style="max-width: ${limitBarWidth}px; display: block; margin-bottom: 16px">`,
    `<rect x="0" y="0" width="${filled}" height="${limitBarHeight}" fill="var(--vscode-charts-${colour}, currentColor)"/>`,
    `<rect x="0.5" y="0.5" width="${limitBarWidth - 1}" height="${limitBarHeight - 1}" fill="none" stroke="currentColor"/>`,
    '</svg>',
    '</div>',
  ];
}
