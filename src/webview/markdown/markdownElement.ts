import { requestPaint } from './paintQueue.ts';
import { MarkdownView } from './view.ts';

/** `<mg-markdown>`: shows a Markdown text, whole or as it arrives. */
export class MarkdownElement extends HTMLElement {
  #view: MarkdownView | undefined;
  #text = '';
  #complete = false;

  /** Shows `text`. What is already shown of it stays as it is. */
  show(text: string, complete: boolean): void {
    if (text === this.#text && complete === this.#complete) return;
    if (this.#complete || !text.startsWith(this.#text)) this.#clear();
    const addition = text.slice(this.#text.length);
    this.#text = text;
    this.#complete = complete;
    this.#add(addition);
  }

  /** Adds text at the end of what is shown. */
  appendText(text: string): void {
    this.#text += text;
    this.#add(text);
  }

  paint(): boolean {
    return this.#view?.paint() ?? false;
  }

  #add(text: string): void {
    this.#view ??= new MarkdownView(this);
    this.#view.append(text);
    if (this.#complete) this.#view.finish();
    requestPaint(this);
  }

  #clear(): void {
    this.replaceChildren();
    this.#view = undefined;
    this.#text = '';
  }
}

customElements.define('mg-markdown', MarkdownElement);
