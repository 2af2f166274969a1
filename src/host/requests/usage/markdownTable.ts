import { plainLine } from '../../kit/display/plainText.ts';

const longestCell = 80;

/**
 * Rows under their headings, with columns that also stand under each other in the source.
 *
 * @param ofWords how many columns at the beginning are words; the others are numbers
 */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  ofWords: number,
): readonly string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at < ofWords ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at < ofWords ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(headings), line(rule), ...rows.map(line)];
}

/** A name from outside as code in a cell of a table, in which no Markdown, link or HTML of it takes effect. */
export function nameCell(name: string): string {
  const words = plainLine(name, longestCell).replaceAll('`', '’').replaceAll('\\', '∖').replaceAll('|', '¦');
  return words === '' ? '–' : `\`${words}\``;
}
