import { plainLine } from '../display/plainText.ts';

const longestCell = 80;

/** Rows under their headings, with columns that also stand under each other in the source. The first one is words. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(headings), line(rule), ...rows.map(line)];
}

/** A name from outside as code in a cell of a table, in which no Markdown, link or HTML of it takes effect. */
export function nameCell(name: string): string {
  const words = plainLine(name, longestCell).replaceAll('`', '’').replaceAll('\\', '∖').replaceAll('|', '¦');
  return words === '' ? '–' : `\`${words}\``;
}
