import * as vscode from 'vscode';
import { localDate } from '../../../base/localDate.ts';

/** The usage of one day. */
interface DayFigure {
  /** `2030-01-31` */
  readonly day: string;
  readonly value: number;
}

interface ChartWords {
  /** The title of the bars. */
  readonly title: string;
  /** The text of a value. */
  readonly textOf: (value: number) => string;
}

const barWidth = 20;
const gap = 4;
const height = 96;

/**
 * A bar for each day as an image within Markdown, with its summary in words below it. Empty without any value. The
 * table of days contains the numbers.
 *
 * @param days in their order, without gaps
 */
export function usageChart(
  days: readonly DayFigure[],
  { title, textOf }: ChartWords,
  language = vscode.env.language,
): readonly string[] {
  const top = days.reduce((most, each) => (each.value > most.value ? each : most), { day: '', value: 0 });
  const [first, last] = [days[0], days.at(-1)];
  if (top.value <= 0 || !first || !last) return [];
  const width = days.length * (barWidth + gap);
  const bars = days.flatMap(({ day, value }, index) => {
    if (value <= 0) return [];
    const size = Math.max(2, Math.round((value / top.value) * height));
    const tip = `<title>${dayName(day, language)}: ${textOf(value)}</title>`;
    return `<rect x="${index * (barWidth + gap)}" y="${height - size}" width="${barWidth}" height="${size}" fill="var(--vscode-charts-blue, currentColor)">${tip}</rect>`;
  });
  const caption = vscode.l10n.t(
    '{0}, from {1} to {2}. Peak: {3} on {4}.',
    title,
    dayName(first.day, language),
    dayName(last.day, language),
    textOf(top.value),
    dayName(top.day, language),
  );
  return [
    '<div>',
    `<svg role="img" aria-label="${title}" viewBox="0 0 ${width} ${height + 2}" width="100%" height="${height + 2}" preserveAspectRatio="none" style="max-width: ${width}px; display: block">`,
    ...bars,
    `<rect x="0" y="${height}" width="${width}" height="1" fill="currentColor" opacity="0.5"/>`,
    '</svg>',
    '</div>',
    '',
    caption,
    '',
  ];
}

/** The days up to `now`, the oldest first. */
export function lastDays(now: Date, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    localDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1 + index)),
  );
}

function dayName(day: string, language: string): string {
  return new Date(`${day}T00:00`).toLocaleDateString(language, { month: 'short', day: 'numeric' });
}
