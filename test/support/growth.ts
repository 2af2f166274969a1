const rounds = 6;
const doublings = 3;

/** Between the 2 of a cost in proportion and the 4 of one by the square; collecting garbage takes it above 2. */
export const linear = 3;

/**
 * How many times as much `work` costs for each doubling of the size, from `size` to eight times as much.
 * The best of several rounds counts, because what else the machine does can only make a round slower.
 */
export function growth(size: number, work: (size: number) => void): number {
  const large = size * 2 ** doublings;
  work(large);
  let small = Number.POSITIVE_INFINITY;
  let great = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    small = Math.min(
      small,
      msOf(() => work(size)),
    );
    great = Math.min(
      great,
      msOf(() => work(large)),
    );
  }
  return (great / small) ** (1 / doublings);
}

function msOf(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}
