/** The number of rows in a block. When a row is added, VS Code lists all rows of its parent again. */
const rowsPerBlock = 100;

/** A block of consecutive rows. */
export interface RowBlock<Row> {
  /** The number of the first row, from 1. */
  readonly first: number;
  readonly rows: readonly Row[];
}

/**
 * Splits a long list into blocks, so that a new row at its end changes only the last block; undefined for a short
 * list.
 */
export function splitIntoBlocks<Row>(rows: readonly Row[]): readonly RowBlock<Row>[] | undefined {
  if (rows.length <= rowsPerBlock) return undefined;
  return Array.from({ length: Math.ceil(rows.length / rowsPerBlock) }, (_, index) => ({
    first: index * rowsPerBlock + 1,
    rows: rows.slice(index * rowsPerBlock, (index + 1) * rowsPerBlock),
  }));
}
