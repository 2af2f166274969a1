interface Numbered {
  readonly seq: number;
  readonly type: string;
}

/** The host's messages in order: once one is missed, the page asks for everything again and waits for it. */
export class Sequence {
  readonly #askAgain: () => void;
  /** The number of the last message; undefined while a snapshot is awaited. */
  #last: number | undefined;

  constructor(askAgain: () => void) {
    this.#askAgain = askAgain;
  }

  /** Whether a message is to be shown. What comes between a gap and the next snapshot is of no use. */
  accepts({ seq, type }: Numbered): boolean {
    if (type === 'state') {
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
