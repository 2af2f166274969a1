import { TextFeed } from './textFeed.ts';
import { MarkdownView } from './view.ts';

/** `<mg-markdown>`: shows a Markdown text, whole or as it arrives. */
export class MarkdownElement extends HTMLElement {
  readonly #feed = new TextFeed(() => {
    this.replaceChildren();
    return new MarkdownView(this);
  });

  /** Shows `text`. What is already shown of it stays as it is. */
  show(text: string, complete: boolean): void {
    this.#feed.show(text, complete);
  }

  /** Adds text at the end of what is shown. */
  appendText(text: string): void {
    this.#feed.append(text);
  }

  /** Paints a bounded amount of what has arrived. Returns whether there is more to paint. */
  paint(): boolean {
    return this.#feed.paint();
  }
}

customElements.define('mg-markdown', MarkdownElement);
