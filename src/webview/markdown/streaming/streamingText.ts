/** A text that only grows. A text that replaces it is another object. */
export interface GrowingText {
  /** In UTF-16 units. */
  readonly length: number;
  /** Returns the text after a position. The cost is proportional to the length of the whole text. */
  readFrom(position: number): string;
}

/** A text that arrives in pieces. Only its owner appends to it. */
export class StreamingText implements GrowingText {
  #text: string;

  constructor(text = '') {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  append(text: string): void {
    this.#text += text;
  }

  readFrom(position: number): string {
    return this.#text.slice(position);
  }

  /** Returns this object, extended to `text`; a new object if `text` does not begin with this text. */
  extendTo(text: string): StreamingText {
    if (!text.startsWith(this.#text)) return new StreamingText(text);
    this.#text = text;
    return this;
  }
}
