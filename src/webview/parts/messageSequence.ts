interface Numbered {
  readonly seq: number;
  readonly type: string;
  /** A message of the type `state` contains the whole state, unless it is a patch. */
  readonly isPatch?: boolean | undefined;
}

/**
 * Checks that no message of the host is missing. After a gap the page requests the whole state and waits for it.
 */
export class MessageSequence {
  readonly #requestSnapshot: () => void;
  /** The number of the last message; undefined while the page waits for a snapshot. */
  #last: number | undefined;

  constructor(requestSnapshot: () => void) {
    this.#requestSnapshot = requestSnapshot;
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
    this.#requestSnapshot();
    return false;
  }
}
