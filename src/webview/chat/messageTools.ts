import { html, nothing, type TemplateResult } from 'lit';
import type { DeletedView, FromChatPage } from '../../protocol/chatPage.ts';
import { iconButton } from '../parts/buttons.ts';
import { keyZ } from '../parts/hostKeys.ts';
import type { LightElement } from '../parts/lightElement.ts';
import { t } from '../words/l10n.ts';
import { QuoteButton, quotedSelection } from './quote.ts';

interface Links {
  readonly post: (message: FromChatPage) => void;
  readonly announce: (words: string) => void;
  /** Puts a quotation into the message box. */
  readonly quote: (quotation: string) => void;
  /** What was deleted and can be brought back. */
  readonly deleted: () => DeletedView | null | undefined;
}

/** What is done with the messages of a chat by keys and by selecting: quoted, deleted and brought back. */
export class MessageTools {
  readonly #page: LightElement;
  readonly #links: Links;

  constructor(page: LightElement, links: Links) {
    this.#page = page;
    this.#links = links;
  }

  /** @param scroller scrolls the messages */
  connect(scroller: HTMLElement): void {
    this.#page.append(new QuoteButton(scroller).element);
  }

  render(): TemplateResult | typeof nothing {
    const deleted = this.#links.deleted();
    return deleted ? deletedView(deleted) : nothing;
  }

  /** The button that was clicked may be gone: the next key may undo that. */
  async announceDeleted({ text }: DeletedView): Promise<void> {
    this.#links.announce(text);
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
    if (this.#links.deleted() && isUndoKey(event)) {
      event.preventDefault();
      this.#links.post({ type: 'undo-delete' });
    }
    deletedByKey(event)?.click();
  }
}

/** What was deleted, with the way back. */
function deletedView({ text }: DeletedView): TemplateResult {
  return html`
    <div class="queued deleted" role="group" aria-label=${t('Deleted messages')}>
      <span class="queued-text">${text}</span>
      <button type="button" class="text-button" data-action="undo-delete" title=${t('Undo Delete (Ctrl+Z)')}>${t('Undo')}</button>
      ${iconButton('close', t('Dismiss'), 'dismiss-deleted')}
    </div>
  `;
}

/** Whether a key brings back what was deleted: where nothing is written, it undoes nothing else. */
function isUndoKey({ keyCode, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  const isUndo = keyCode === keyZ && (ctrlKey || metaKey) && !shiftKey && !altKey;
  return isUndo && !isWriting(target);
}

/** The message that the Delete key means: the reply that has the focus; undefined for none. */
function deletedByKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): HTMLElement | undefined {
  const isDelete = key === 'Delete' || (key === 'Backspace' && metaKey);
  if (
    !isDelete ||
    ctrlKey ||
    altKey ||
    !(target instanceof HTMLElement) ||
    !target.matches('section.reply')
  ) {
    return undefined;
  }
  return target.querySelector<HTMLElement>('[data-action=delete-answer]:enabled') ?? undefined;
}

function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== '' || !target.closest('mg-composer');
  return target instanceof HTMLInputElement;
}
