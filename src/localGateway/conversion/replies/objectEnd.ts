/** Finds the end of a JSON object whose text comes in pieces, in time that grows with the text alone. */
export class ObjectEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasEnded = false;

  /** @returns whether the object ends in this piece */
  add(piece: string): boolean {
    if (this.#hasEnded) return false;
    for (const character of piece) {
      if (this.#isInString) this.#readInString(character);
      else if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') this.#depth++;
      else if ((character === '}' || character === ']') && --this.#depth === 0) {
        this.#hasEnded = true;
        break;
      }
    }
    return this.#hasEnded;
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }
}
