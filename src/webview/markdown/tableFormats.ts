/** A table as rows of cells, the head first. */
export type Rows = readonly (readonly string[])[];

/**
 * A cell beginning that a spreadsheet reads as a formula, also in full width. A number may begin in the same way.
 */
const formulaBeginning = /^[=+\-@\t\r＝＋－＠]/;
/**
 * The same after a cell separator in locales where the comma is a decimal separator. Each blank is matched only
 * once.
 */
const laterFormulaBeginning = /([;\t|\n][\s"']*)([=+\-@＝＋－＠]?)/g;
const plainNumber = /^[+-]?[\d.,\s]*\d\s*%?$/;

/**
 * The rows as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe before it, so
 * that it is shown as text: the text comes from a model, and a formula can send data away.
 */
export function formatCsv(rows: Rows): string {
  return rows.map((row) => `${row.map(formatCsvCell).join(',')}\r\n`).join('');
}

function formatCsvCell(text: string): string {
  const guarded = formulaBeginning.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  const safe = guarded.replace(laterFormulaBeginning, (_, before: string, sign: string) =>
    sign === '' ? before : `${before}'${sign}`,
  );
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as a Markdown table. The cells are already Markdown. */
export function formatMarkdownTable(rows: Rows, alignments: readonly string[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => alignmentRules[alignments[column] ?? ''] ?? '---');
  return [head, rule, ...body].map((row) => `| ${row.map(formatMarkdownCell).join(' | ')} |\n`).join('');
}

const alignmentRules: Readonly<Record<string, string>> = { center: ':-:', right: '--:' };

function formatMarkdownCell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|').replace(/\s+/g, (blank) => (blank.includes('\n') ? ' ' : blank));
}
