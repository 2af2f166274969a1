/** A table as rows of cells, the head first. */
export type Rows = readonly (readonly string[])[];

/** What a sheet takes for a formula when a cell begins with it, in full width too; a number may begin so as well. */
const formula = /^[=+\-@\t\r＝＋－＠]/;
/** The same after what divides cells where a comma stands in numbers. Blanks are read once, however many. */
const laterFormula = /([;\t|\n][\s"']*)([=+\-@＝＋－＠]?)/g;
const number = /^[+-]?[\d.,\s]*\d\s*%?$/;

/**
 * The rows as CSV (RFC 4180). A cell that a sheet would take for a formula gets an apostrophe before it, which a
 * sheet shows as text: the words are a model's, and a formula can send data away.
 */
export function csvOf(rows: Rows): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const begun = formula.test(text) && !number.test(text) ? `'${text}` : text;
  const safe = begun.replace(laterFormula, (_, before: string, sign: string) =>
    sign === '' ? before : `${before}'${sign}`,
  );
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as a table of Markdown, whose cells are Markdown already. */
export function markdownTableOf(rows: Rows, alignments: readonly string[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => rules[alignments[column] ?? ''] ?? '---');
  return [head, rule, ...body].map((row) => `| ${row.map(markdownCell).join(' | ')} |\n`).join('');
}

const rules: Readonly<Record<string, string>> = { center: ':-:', right: '--:' };

function markdownCell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|').replace(/\s+/g, (blank) => (blank.includes('\n') ? ' ' : blank));
}
