import { type Painter, requestPaint } from './paintQueue.ts';

/** A text that only grows. If another text replaces it, that text is another object. */
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

/** A view of a text that arrives piece by piece. */
export interface StreamingTextView {
  append(text: string): void;
  /** Called when the text is complete. */
  finish(): void;
  /** Paints a bounded amount of the arrived text. Returns whether there is more to paint. */
  paint(): boolean;
}

/** Passes a text to its view, in frames with spare time. Stores only the part that is not painted yet. */
export class TextFeed implements Painter {
  readonly #createView: () => StreamingTextView;
  readonly #onPainted: () => void;
  #view: StreamingTextView | undefined;
  #text: GrowingText | undefined;
  /** The length of the received text, in UTF-16 units. */
  #receivedLength = 0;
  #unpainted = '';
  #isComplete = false;

  /**
   * @param createView creates an empty view, and removes the previous one
   * @param onPainted called when a complete text is painted
   */
  constructor(createView: () => StreamingTextView, onPainted: () => void = () => {}) {
    this.#createView = createView;
    this.#onPainted = onPainted;
  }

  /** Shows `text`. The part of the same text that is already shown does not change. */
  show(text: GrowingText, isComplete: boolean): void {
    const isSame = this.#text === undefined || this.#text === text;
    this.#text = text;
    if (isSame && isComplete === this.#isComplete && text.length === this.#receivedLength) return;
    if (this.#isComplete || !isSame) {
      this.#view = this.#createView();
      this.#receivedLength = 0;
      this.#unpainted = '';
    }
    this.#isComplete = isComplete;
    this.append(text.readFrom(this.#receivedLength));
  }

  /** Shows an addition to the text. */
  append(text: string): void {
    this.#receivedLength += text.length;
    this.#unpainted += text;
    requestPaint(this);
  }

  paint(): boolean {
    this.#view ??= this.#createView();
    if (this.#unpainted !== '') this.#view.append(this.#unpainted);
    this.#unpainted = '';
    if (this.#isComplete) this.#view.finish();
    const hasMore = this.#view.paint();
    if (!hasMore && this.#isComplete) this.#onPainted();
    return hasMore;
  }
}
