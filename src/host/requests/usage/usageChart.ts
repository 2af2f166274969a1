import * as vscode from 'vscode';
import { localDate } from '../../../base/localDate.ts';

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
    localDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1 + index)),
  );
}

function dayName(day: string): string {
  return new Date(`${day}T00:00`).toLocaleDateString(vscode.env.language, { month: 'short', day: 'numeric' });
}
