import { html, nothing, type TemplateResult } from 'lit';
import type { DeletedView, FromChatPage } from '../../../protocol/chatPage.ts';
import { renderIconButton } from '../../parts/buttons.ts';
import { keyZ } from '../../parts/hostKeys.ts';
import type { LightElement } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';
import { QuoteButton, quoteSelection } from './quoteSelection.ts';

interface MessageToolsOptions {
  readonly post: (message: FromChatPage) => void;
  readonly announce: (text: string) => void;
  /** Inserts a quotation into the message box. */
  readonly insertQuotation: (quotation: string) => void;
  /** Returns the deleted message that can be restored, if any. */
  readonly getDeleted: () => DeletedView | null | undefined;
}

/** Quotes, deletes and restores messages of a chat, by keys and by the selection. */
export class MessageTools {
  readonly #page: LightElement;
  readonly #options: MessageToolsOptions;

  constructor(page: LightElement, options: MessageToolsOptions) {
    this.#page = page;
    this.#options = options;
  }

  /** @param scroller scrolls the messages */
  connect(scroller: HTMLElement): void {
    this.#page.append(new QuoteButton(scroller).element);
  }

  render(): TemplateResult | typeof nothing {
    const deleted = this.#options.getDeleted();
    return deleted ? renderDeleted(deleted) : nothing;
  }

  /** Announces the deletion and focuses the undo button, because the clicked button may have been removed. */
  async announceDeleted({ text }: DeletedView): Promise<void> {
    this.#options.announce(text);
    await this.#page.updateComplete;
    this.#page.querySelector<HTMLElement>('[data-action=undo-delete]')?.focus();
  }

  /** Quotes the selected text of a message in the message box. */
  quote(): void {
    const quotation = quoteSelection();
    // A remaining selection would later move the caret out of the message box.
    document.getSelection()?.removeAllRanges();
    if (quotation === undefined) this.#options.announce(t('Select text in a message to quote it'));
    else this.#options.insertQuotation(quotation);
  }

  handleKey(event: KeyboardEvent): void {
    if (this.#options.getDeleted() && isUndoKey(event)) {
      event.preventDefault();
      this.#options.post({ type: 'undo-delete' });
    }
    findDeleteButton(event)?.click();
  }
}

/** Renders the notice of a deleted message, with a button to restore it. */
function renderDeleted({ text }: DeletedView): TemplateResult {
  return html`
    <div class="queued deleted" role="group" aria-label=${t('Deleted messages')}>
      <span class="queued-text">${text}</span>
      <button type="button" class="text-button" data-action="undo-delete" title=${t('Undo Delete (Ctrl+Z)')}>${t('Undo')}</button>
      ${renderIconButton('close', t('Dismiss'), 'dismiss-deleted')}
    </div>
  `;
}

/** Whether a key restores the deleted message. In a text box, the key undoes typing instead. */
function isUndoKey({ keyCode, ctrlKey, metaKey, shiftKey, altKey, target }: KeyboardEvent): boolean {
  const isUndo = keyCode === keyZ && (ctrlKey || metaKey) && !shiftKey && !altKey;
  return isUndo && !isWriting(target);
}

/** Finds the delete button of the focused reply, if the key is a Delete key. */
function findDeleteButton({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): HTMLElement | undefined {
  const isDelete = key === 'Delete' || (key === 'Backspace' && metaKey);
  if (!isDelete || ctrlKey || altKey || !(target instanceof HTMLElement)) return undefined;
  if (!target.matches('section.reply')) return undefined;
  return target.querySelector<HTMLElement>('[data-action=delete-reply]:enabled') ?? undefined;
}

/** Whether a key in this element undoes typing. In the empty message box it does not. */
function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== '' || !target.closest('mg-composer');
  return target instanceof HTMLInputElement;
}
