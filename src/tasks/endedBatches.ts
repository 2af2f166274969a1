/** How long the first tasks of a click wait for its last one, in milliseconds. */
const maxWaitMs = 60_000;

interface Batch {
  readonly keys: Set<string>;
  /** When its first task ended, in milliseconds. */
  readonly firstAt: number;
  lastAt: number;
}

/** What the tasks of one click have in common in their keys, as `TaskService.create` makes them. */
function clickOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('-')));
}

/** Tasks that ended and are not told of yet. Those of one click are told of together. */
export class EndedBatches {
  readonly #batches = new Map<string, Batch>();

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  /** @param now milliseconds by any clock, the same as in `take` */
  add(key: string, now: number): void {
    const batch = this.#batches.get(clickOf(key)) ?? { keys: new Set(), firstAt: now, lastAt: now };
    batch.keys.add(key);
    batch.lastAt = now;
    this.#batches.set(clickOf(key), batch);
  }

  /**
   * Takes what is due: nothing of it ended within `delayMs`, and no other task of its click is open, or that has
   * been open for too long.
   */
  take(now: number, delayMs: number, open: ReadonlySet<string>): readonly string[] {
    const openClicks = new Set([...open].map(clickOf));
    const due = [...this.#batches].filter(([click, { firstAt, lastAt }]) => {
      const isLate = now - firstAt >= maxWaitMs;
      return now - lastAt >= delayMs && (isLate || !openClicks.has(click));
    });
    for (const [click] of due) this.#batches.delete(click);
    return due.flatMap(([, { keys }]) => [...keys]);
  }
}
