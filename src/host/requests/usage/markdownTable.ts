import { plainLine } from '../../kit/display/plainText.ts';

const maxCellLength = 80;

/**
 * A Markdown table whose columns are also aligned in the source.
 *
 * @param textColumns the number of text columns at the start; the others are numbers
 */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
): readonly string[] {
  const allRows = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(3, ...allRows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i < textColumns ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const separators = widths.map((width, i) =>
    i < textColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(headings), line(separators), ...rows.map(line)];
}

/** An untrusted name as code in a table cell, so that its Markdown, links or HTML have no effect. */
export function nameCell(name: string, maxLength = maxCellLength): string {
  const text = plainLine(name, maxLength).replaceAll('`', '’').replaceAll('\\', '∖').replaceAll('|', '¦');
  return text === '' ? '–' : `\`${text}\``;
}
