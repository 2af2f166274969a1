import { findTaskObjects } from './recordObjects.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { mayHaveFinished } from './taskStatus.ts';

/** After this many reads and this time with the same results, a task has ended. */
const minReads = 4;
const minMs = 30_000;

/**
 * The records of one task with an unknown status. Once they have listed the same results for a while, the task
 * counts as completed, because otherwise it would run forever.
 */
export class SteadyRecord {
  #text = '';
  #since = 0;
  #reads = 0;

  /**
   * Adds the next snapshot.
   *
   * @param now milliseconds of a monotonic clock
   * @returns the snapshot, as completed if the records have been the same for long enough
   */
  update(snapshot: TaskSnapshot, now: number): TaskSnapshot {
    const { unsureResults, rawStatus = '', progress, raw } = snapshot;
    const isOpen =
      !unsureResults || !mayHaveFinished(findTaskObjects(raw), progress === 0 ? undefined : progress);
    const text = isOpen
      ? ''
      : [rawStatus, progress, ...unsureResults.map(({ url }) => removeQuery(url))].join(' ');
    if (isOpen || text !== this.#text) {
      this.#text = text;
      this.#since = now;
      this.#reads = isOpen ? 0 : 1;
      return snapshot;
    }
    this.#reads += 1;
    if (this.#reads < minReads || now - this.#since < minMs) return snapshot;
    const { unsureResults: results, ...others } = snapshot;
    return { ...others, status: 'completed', results: results ?? [] };
  }
}

/** Signatures may change with each read. */
function removeQuery(url: string): string {
  return /^https?:/i.test(url) ? (url.split('?', 1)[0] ?? '') : url;
}
