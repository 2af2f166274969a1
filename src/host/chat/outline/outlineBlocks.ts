/** A long list of rows is shown in blocks, because VS Code lists all rows of a parent anew when it gets another one. */
const rowsOfBlock = 100;

/** Some rows that follow each other. */
export interface RowBlock<Row> {
  /** The number of the first of them, from 1. */
  readonly first: number;
  readonly rows: readonly Row[];
}

/**
 * Cuts a list that is long into blocks, so that a new row at its end changes the last one only; undefined for a
 * short one.
 */
export function blocksOf<Row>(rows: readonly Row[]): readonly RowBlock<Row>[] | undefined {
  if (rows.length <= rowsOfBlock) return undefined;
  return Array.from({ length: Math.ceil(rows.length / rowsOfBlock) }, (_, nth) => ({
    first: nth * rowsOfBlock + 1,
    rows: rows.slice(nth * rowsOfBlock, (nth + 1) * rowsOfBlock),
  }));
}
