/** One line of the table that `npm run bench` prints. */
export interface Figure {
  readonly figure: string;
  readonly value: string;
  readonly target: string;
  readonly met: boolean;
}

/** Reports a figure to the runner. */
export function report(figure: Figure): void {
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
