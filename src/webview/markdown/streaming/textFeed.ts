import { type Painter, requestPaint } from './paintQueue.ts';
import type { GrowingText } from './streamingText.ts';

/** A view of a text that arrives piece by piece. */
export interface StreamingTextView {
  append(text: string): void;
  /** Notes that the text is complete. */
  finish(): void;
  /** Paints a bounded amount of the arrived text. Returns whether there is more to paint. */
  paint(): boolean;
}

/** Passes a text to its view, in frames with spare time. Does not store the text. */
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

  /** Shows `text`. The part of the same text that is already shown stays unchanged. */
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
  append(added: string): void {
    this.#receivedLength += added.length;
    this.#unpainted += added;
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
