interface Numbered {
  readonly seq: number;
  readonly type: string;
  /** A message of the type `state` has the whole state, unless it is a patch. */
  readonly isPatch?: boolean | undefined;
}

/**
 * Checks that no message of the host is missing. After a gap the page asks for the whole state and waits for
 * it.
 */
export class Sequence {
  readonly #askAgain: () => void;
  /** The number of the last message; undefined while a snapshot is awaited. */
  #last: number | undefined;

  constructor(askAgain: () => void) {
    this.#askAgain = askAgain;
  }

  /** Whether to handle a message. Messages between a gap and the next snapshot are ignored. */
  accepts({ seq, type, isPatch }: Numbered): boolean {
    if (type === 'state' && !isPatch) {
      this.#last = seq;
      return true;
    }
    if (this.#last === undefined) return false;
    if (seq === this.#last + 1) {
      this.#last = seq;
      return true;
    }
    this.#last = undefined;
    this.#askAgain();
    return false;
  }
}
