import { requestPaint } from './paintQueue.ts';
import { MarkdownView } from './view.ts';

/** `<mg-markdown>`: shows a Markdown text, whole or as it arrives. */
export class MarkdownElement extends HTMLElement {
  #view: MarkdownView | undefined;
  #text = '';
  #arrived = '';
  #complete = false;

  /** Shows `text`. What is already shown of it stays as it is. */
  show(text: string, complete: boolean): void {
    if (text === this.#text && complete === this.#complete) return;
    if (this.#complete || !text.startsWith(this.#text)) this.#clear();
    this.#complete = complete;
    this.appendText(text.slice(this.#text.length));
  }

  /** Adds text at the end of what is shown. */
  appendText(text: string): void {
    this.#text += text;
    this.#arrived += text;
    requestPaint(this);
  }

  /** Paints a bounded amount of what has arrived. Returns whether there is more to paint. */
  paint(): boolean {
    this.#view ??= new MarkdownView(this);
    if (this.#arrived !== '') this.#view.append(this.#arrived);
    this.#arrived = '';
    if (this.#complete) this.#view.finish();
    return this.#view.paint();
  }

  #clear(): void {
    this.replaceChildren();
    this.#view = undefined;
    this.#text = '';
    this.#arrived = '';
  }
}

customElements.define('mg-markdown', MarkdownElement);
