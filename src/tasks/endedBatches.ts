/** How long the ended tasks of a click wait for its last task, in milliseconds. */
const maxWaitMs = 60_000;

interface Batch {
  readonly keys: Set<string>;
  /** When the first task of the click ended, in milliseconds. */
  readonly firstAt: number;
  lastAt: number;
}

/** Returns the part of a key that all tasks of one click share. `TaskService.create` creates the keys. */
function toClickId(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('-')));
}

/** Collects tasks that ended and are not reported yet. The tasks of one click are reported together. */
export class EndedBatches {
  readonly #batches = new Map<string, Batch>();

  get isEmpty(): boolean {
    return this.#batches.size === 0;
  }

  /** @param now milliseconds by any clock, but the same clock as for `takeDue` */
  add(key: string, now: number): void {
    const batch = this.#batches.get(toClickId(key)) ?? { keys: new Set(), firstAt: now, lastAt: now };
    batch.keys.add(key);
    batch.lastAt = now;
    this.#batches.set(toClickId(key), batch);
  }

  /**
   * Removes and returns the tasks of due clicks. A click is due if none of its tasks ended within the last `delayMs`,
   * and either none of its tasks is open or its first task ended a minute ago.
   */
  takeDue(now: number, delayMs: number, open: ReadonlySet<string>): readonly string[] {
    const openClicks = new Set([...open].map(toClickId));
    const due = [...this.#batches].filter(([click, { firstAt, lastAt }]) => {
      const isOverdue = now - firstAt >= maxWaitMs;
      return now - lastAt >= delayMs && (isOverdue || !openClicks.has(click));
    });
    for (const [click] of due) this.#batches.delete(click);
    return due.flatMap(([, { keys }]) => [...keys]);
  }
}
