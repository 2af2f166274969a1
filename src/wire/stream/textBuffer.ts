/** Characters from the beginning of a reply, which are enough to explain why it cannot be read. */
export const maxStartLength = 64 * 1024;

/** Text of a reply that is kept until its kind is known: a whole document, or the beginning of another body. */
export class TextBuffer {
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The text without leading white space. */
  get text(): string {
    return this.#pieces.join('').trimStart();
  }

  add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }

  /** Adds text up to about twice `maxStartLength`. */
  addStart(text: string): void {
    if (this.#length < maxStartLength) this.add(text.slice(0, maxStartLength));
  }

  /** Returns the text with its white space, and clears it. */
  take(): string {
    const text = this.#pieces.join('');
    this.clear();
    return text;
  }

  clear(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
