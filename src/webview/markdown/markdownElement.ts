import { MarkdownView } from './markdownView.ts';
import { type GrowingText, TextFeed } from './streaming/streamingText.ts';

/**
 * `<mg-markdown>`: shows a Markdown text, whole or as it arrives. Fires `painted` when the whole text is shown.
 */
export class MarkdownElement extends HTMLElement {
  readonly #feed = new TextFeed(
    () => {
      this.replaceChildren();
      return new MarkdownView(this);
    },
    () => this.dispatchEvent(new Event('painted', { bubbles: true })),
  );

  /** Shows `text`. The part of the same text that is already shown does not change. */
  show(text: GrowingText, isComplete: boolean): void {
    this.#feed.show(text, isComplete);
  }

  /** Shows an addition to the text. */
  appendText(text: string): void {
    this.#feed.append(text);
  }

  /**
   * Paints a bounded amount.
   *
   * @returns whether there is more to paint
   */
  paint(): boolean {
    return this.#feed.paint();
  }
}

customElements.define('mg-markdown', MarkdownElement);
