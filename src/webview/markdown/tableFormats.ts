/** The rows of a table, beginning with the head. Each row is a list of cells. */
export type Rows = readonly (readonly string[])[];

/**
 * The beginning of a cell that a spreadsheet reads as a formula, also with full-width signs. A number may begin in
 * the same way.
 */
const formulaBeginning = /^[=+\-@\t\r＝＋－＠]/;
/**
 * A character inside a cell that separates cells in locales whose decimal separator is a comma, and a sign after it
 * that begins a formula. Each blank is matched only once, so that the time is proportional to the length.
 */
const laterFormulaBeginning = /([;\t|\n][\s"']*)([=+\-@＝＋－＠]?)/g;
const plainNumber = /^[+-]?[\d.,\s]*\d\s*%?$/;

/**
 * Formats the rows as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe before
 * it, so that it is shown as text: the text comes from a model, and a formula can send data away.
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

/** Formats the rows as a Markdown table. The cells are already Markdown. */
export function formatMarkdownTable(rows: Rows, alignments: readonly string[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => alignmentRules[alignments[column] ?? ''] ?? '---');
  return [head, rule, ...body].map((row) => `| ${row.map(formatMarkdownCell).join(' | ')} |\n`).join('');
}

const alignmentRules: Readonly<Record<string, string>> = { center: ':-:', right: '--:' };

function formatMarkdownCell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|').replace(/\s+/g, (blank) => (blank.includes('\n') ? ' ' : blank));
}
