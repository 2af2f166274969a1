/** Joins pieces of a text so that none ends within a character of two UTF-16 units. */
export class WholeCharacters {
  #held = '';

  /** The text so far, without the first half of a character at its end. */
  next(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? text.slice(-1) : '';
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** What was held back, when nothing follows. */
  rest(): string {
    const rest = this.#held.toWellFormed();
    this.#held = '';
    return rest;
  }
}
