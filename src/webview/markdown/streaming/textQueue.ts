/** A queue of text that has arrived. It is removed from the beginning, in bounded pieces. */
export class TextQueue {
  #pieces: string[] = [];
  #nextPiece = 0;
  #offsetInPiece = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  push(text: string): void {
    if (text !== '') this.#pieces.push(text);
  }

  /** Removes and returns up to `maxLength` UTF-16 units. */
  dequeue(maxLength: number): string {
    let text = '';
    while (text.length < maxLength) {
      const piece = this.#pieces[this.#nextPiece];
      if (piece === undefined) break;
      const part = piece.slice(this.#offsetInPiece, this.#offsetInPiece + maxLength - text.length);
      text += part;
      this.#offsetInPiece += part.length;
      if (this.#offsetInPiece < piece.length) break;
      this.#nextPiece += 1;
      this.#offsetInPiece = 0;
    }
    if (this.#nextPiece >= this.#pieces.length) {
      this.#pieces = [];
      this.#nextPiece = 0;
    }
    return text;
  }
}
