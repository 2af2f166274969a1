import { element } from '../markdown/dom.ts';
import { t } from '../words/l10n.ts';
import { rangeInMessage } from './quote.ts';

/** How far it stands above what is selected, in pixels. */
const gap = 4;

/** The button that stands above text which is selected in a message, and quotes it. */
export class QuoteButton {
  readonly element = element('button', 'quote-button', { type: 'button' });
  readonly #scroller: HTMLElement;

  /** @param scroller scrolls the messages */
  constructor(scroller: HTMLElement) {
    this.#scroller = scroller;
    this.element.textContent = t('Quote');
    this.element.title = t('Quote in Message Box');
    this.element.dataset.action = 'quote';
    this.element.hidden = true;
    // A press would end the selection.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
    document.addEventListener('selectionchange', () => this.#place());
    scroller.addEventListener('scroll', () => this.#place(), { passive: true });
  }

  #place(): void {
    const selection = document.getSelection();
    const range = selection ? rangeInMessage(selection) : undefined;
    this.element.hidden = range === undefined;
    if (!range) return;
    const first = range.getClientRects()[0] ?? range.getBoundingClientRect();
    const { top, right } = this.#scroller.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.top = `${Math.max(top + gap, first.top - offsetHeight - gap)}px`;
    this.element.style.left = `${Math.min(first.left, right - offsetWidth - gap)}px`;
  }
}
