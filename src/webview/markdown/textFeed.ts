import { type Painter, requestPaint } from './paintQueue.ts';

/** Shows a text that arrives piece by piece. */
export interface TextView {
  append(text: string): void;
  /** No more text will come. */
  finish(): void;
  /** Paints a bounded amount of what has arrived. Returns whether there is more to paint. */
  paint(): boolean;
}

/** Hands a text on to what shows it, in the frames that the page has time for. */
export class TextFeed implements Painter {
  readonly #begin: () => TextView;
  #view: TextView | undefined;
  #text = '';
  #arrived = '';
  #complete = false;

  /** @param begin makes an empty view, and removes the one before where there was one */
  constructor(begin: () => TextView) {
    this.#begin = begin;
  }

  /** Shows `text`. What is already shown of it stays as it is. */
  show(text: string, complete: boolean): void {
    if (complete === this.#complete && text === this.#text) return;
    if (this.#complete || !text.startsWith(this.#text)) this.#clear();
    this.#complete = complete;
    this.append(text.slice(this.#text.length));
  }

  /** Adds text at the end of what is shown. */
  append(text: string): void {
    this.#text += text;
    this.#arrived += text;
    requestPaint(this);
  }

  paint(): boolean {
    this.#view ??= this.#begin();
    if (this.#arrived !== '') this.#view.append(this.#arrived);
    this.#arrived = '';
    if (this.#complete) this.#view.finish();
    return this.#view.paint();
  }

  #clear(): void {
    this.#view = this.#begin();
    this.#text = '';
    this.#arrived = '';
  }
}
