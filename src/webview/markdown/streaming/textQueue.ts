/** Text that has arrived. It is taken from its beginning, in bounded pieces. */
export class TextQueue {
  #pieces: string[] = [];
  #next = 0;
  #offset = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  push(text: string): void {
    if (text !== '') this.#pieces.push(text);
  }

  /** Takes up to `most` UTF-16 units. */
  take(most: number): string {
    let taken = '';
    while (taken.length < most) {
      const piece = this.#pieces[this.#next];
      if (piece === undefined) break;
      const part = piece.slice(this.#offset, this.#offset + most - taken.length);
      taken += part;
      this.#offset += part.length;
      if (this.#offset < piece.length) break;
      this.#next += 1;
      this.#offset = 0;
    }
    if (this.#next >= this.#pieces.length) {
      this.#pieces = [];
      this.#next = 0;
    }
    return taken;
  }
}
