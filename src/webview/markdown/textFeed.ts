import { type Painter, requestPaint } from './paintQueue.ts';
import type { GrowingText } from './streamingText.ts';

/** Shows a text that arrives piece by piece. */
export interface TextView {
  append(text: string): void;
  /** No more text will come. */
  finish(): void;
  /** Paints a bounded amount of what has arrived. Returns whether there is more to paint. */
  paint(): boolean;
}

/** Passes a text on to its view, in the frames that the page has time for. Stores none of it. */
export class TextFeed implements Painter {
  readonly #begin: () => TextView;
  readonly #painted: () => void;
  #view: TextView | undefined;
  #text: GrowingText | undefined;
  /** How much of the text is shown or scheduled, in UTF-16 units. */
  #taken = 0;
  #arrived = '';
  #complete = false;

  /**
   * @param begin makes an empty view, and removes the one before where there was one
   * @param painted called when all of a complete text is painted
   */
  constructor(begin: () => TextView, painted: () => void = () => {}) {
    this.#begin = begin;
    this.#painted = painted;
  }

  /** Shows `text`. What is already shown of the same text stays as it is. */
  show(text: GrowingText, complete: boolean): void {
    const isSame = this.#text === undefined || this.#text === text;
    this.#text = text;
    if (isSame && complete === this.#complete && text.length === this.#taken) return;
    if (this.#complete || !isSame) this.#clear();
    this.#complete = complete;
    this.append(text.from(this.#taken));
  }

  /** Shows an addition to the text. */
  append(added: string): void {
    this.#taken += added.length;
    this.#arrived += added;
    requestPaint(this);
  }

  paint(): boolean {
    this.#view ??= this.#begin();
    if (this.#arrived !== '') this.#view.append(this.#arrived);
    this.#arrived = '';
    if (this.#complete) this.#view.finish();
    const more = this.#view.paint();
    if (!more && this.#complete) this.#painted();
    return more;
  }

  #clear(): void {
    this.#view = this.#begin();
    this.#taken = 0;
    this.#arrived = '';
  }
}
