import { nothing, type TemplateResult } from 'lit';
import type { FromChatPage } from '../../protocol/chatPage.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { deletedByKey, deletedView, isUndoKey } from './deleted.ts';
import { quotedSelection } from './quote.ts';
import { QuoteButton } from './quoteButton.ts';

interface Links {
  readonly post: (message: FromChatPage) => void;
  readonly announce: (words: string) => void;
  /** Puts a quotation into the message box. */
  readonly quote: (quotation: string) => void;
}

/** What is done with the messages of a chat by keys and by selecting: quoted, deleted and brought back. */
export class MessageTools {
  readonly #page: LightElement;
  readonly #links: Links;
  #deleted: string | undefined;

  constructor(page: LightElement, links: Links) {
    this.#page = page;
    this.#links = links;
  }

  /** @param scroller scrolls the messages */
  connect(scroller: HTMLElement): void {
    this.#page.append(new QuoteButton(scroller).element);
  }

  render(): TemplateResult | typeof nothing {
    return this.#deleted === undefined ? nothing : deletedView(this.#deleted);
  }

  /** Shows what was deleted before the page was opened. */
  restore(words: string | undefined): void {
    this.#deleted = words;
    this.#page.requestUpdate();
  }

  /** The button that was clicked may be gone: the next key may undo that. */
  async showDeleted(words: string | undefined): Promise<void> {
    this.restore(words);
    if (words === undefined) return;
    this.#links.announce(words);
    await this.#page.updateComplete;
    this.#page.querySelector<HTMLElement>('[data-action=undo-delete]')?.focus();
  }

  /** Puts what is selected in a message into the message box. */
  quote(): void {
    const quotation = quotedSelection();
    // It would take the caret out of the message box later.
    document.getSelection()?.removeAllRanges();
    if (quotation === undefined) this.#links.announce(t('Select text in a message to quote it'));
    else this.#links.quote(quotation);
  }

  onKey(event: KeyboardEvent): void {
    if (this.#deleted !== undefined && isUndoKey(event)) {
      event.preventDefault();
      this.#links.post({ type: 'undo-delete' });
    }
    deletedByKey(event)?.click();
  }
}
