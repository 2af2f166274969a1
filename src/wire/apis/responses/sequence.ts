/** The most missing numbers to remember, more than any relay withholds. */
const maxMissing = 4096;

/**
 * Finds repeated events by their `sequence_number`. Late events are not repeated, and neither are events of a
 * relay that gives all of them the same number.
 */
export class ResponsesSequence {
  readonly #missing = new Set<number>();
  #highest = -1;
  #highestData: string | undefined;
  #unreliable = false;

  /** @param data the data of the event: the same number with other data is no repetition */
  isRepeated(number: unknown, data: string | undefined): boolean {
    if (this.#unreliable || !isNumber(number)) return false;
    if (number > this.#highest) {
      this.#advance(number, data);
      return false;
    }
    if (this.#missing.delete(number)) return false;
    this.#unreliable = number === this.#highest && data !== this.#highestData;
    return !this.#unreliable;
  }

  #advance(to: number, data: string | undefined): void {
    const next = this.#highest + 1;
    const missed = to - next;
    if (this.#missing.size + missed <= maxMissing) {
      for (let at = next; at < to; at++) this.#missing.add(at);
    }
    this.#highest = to;
    this.#highestData = data;
  }
}

function isNumber(number: unknown): number is number {
  return Number.isSafeInteger(number) && (number as number) >= 0;
}
