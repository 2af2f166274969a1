/** A text that only grows, as whoever shows it reads it. One that does not go on from it is another object. */
export interface GrowingText {
  /** In UTF-16 units. */
  readonly length: number;
  /** What comes after a position. Costs the length of the whole text. */
  from(position: number): string;
}

/** The one owner of a text that arrives piece by piece. */
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

  /** The text once all of it is known to be this: the same object where it goes on from what there is. */
  continuedTo(whole: string): StreamingText {
    if (!whole.startsWith(this.#text)) return new StreamingText(whole);
    this.#text = whole;
    return this;
  }
}
