/** A text that only grows, for its views. A text that does not continue it is a different object. */
export interface GrowingText {
  /** In UTF-16 units. */
  readonly length: number;
  /** The text after a position. The cost is proportional to the length of the whole text. */
  from(position: number): string;
}

/** The only owner of a text that arrives in pieces. */
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

  from(position: number): string {
    return this.#text.slice(position);
  }

  /** Returns the complete text: this object if the text continues it, otherwise a new one. */
  continuedTo(whole: string): StreamingText {
    if (!whole.startsWith(this.#text)) return new StreamingText(whole);
    this.#text = whole;
    return this;
  }
}
