import { objectsOf } from './objects.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { mayHaveFinished } from './status.ts';

/** How often, and for how many milliseconds, the same results prove that a task has ended. */
const minReads = 4;
const minMs = 30_000;

/**
 * The records of one task whose status nobody knows: once they have named the same results for a while, the task
 * counts as completed, since it would run for ever otherwise.
 */
export class SteadyRecord {
  #text = '';
  #since = 0;
  #reads = 0;

  /**
   * The snapshot, as completed where its record and those before it prove that.
   *
   * @param now milliseconds of a clock that never jumps
   */
  settled(snapshot: TaskSnapshot, now: number): TaskSnapshot {
    const { unsureResults, rawStatus = '', progress, raw } = snapshot;
    const isOpen = !unsureResults || !mayHaveFinished(objectsOf(raw), progress === 0 ? undefined : progress);
    const text = isOpen
      ? ''
      : [rawStatus, progress, ...unsureResults.map(({ url }) => withoutQuery(url))].join(' ');
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

/** Signatures may be new with each read. */
function withoutQuery(url: string): string {
  return /^https?:/i.test(url) ? (url.split('?', 1)[0] ?? '') : url;
}
