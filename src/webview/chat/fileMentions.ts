import type { FromChatPage } from '../../protocol/chatPage.ts';
import { t } from '../words/l10n.ts';

/** How many files one message asks for, and how many a page asks for in all. */
const perMessage = 50;
const maxAsked = 500;

/**
 * Makes links of names of files in code, such as `src/a.ts:10`, once the host has found the file. Only what a
 * whole reply names is asked for, and each name once.
 */
export class FileMentions {
  readonly #page: HTMLElement;
  readonly #post: (message: FromChatPage) => void;
  readonly #asked = new Set<string>();
  readonly #existing = new Set<string>();

  constructor(page: HTMLElement, post: (message: FromChatPage) => void) {
    this.#page = page;
    this.#post = post;
  }

  /** Reads a text that is whole. */
  read(text: ParentNode): void {
    const unknown: string[] = [];
    for (const mention of mentionsIn(text)) {
      const name = mention.textContent;
      if (this.#existing.has(name)) link(mention);
      else if (!this.#asked.has(name) && this.#asked.size < maxAsked) {
        this.#asked.add(name);
        unknown.push(name);
      }
    }
    for (let at = 0; at < unknown.length; at += perMessage) {
      this.#post({ type: 'find-files', references: unknown.slice(at, at + perMessage) });
    }
  }

  /** Shows that these exist. */
  show(existing: readonly string[]): void {
    for (const name of existing) this.#existing.add(name);
    for (const mention of mentionsIn(this.#page)) {
      if (this.#existing.has(mention.textContent)) link(mention);
    }
  }
}

function mentionsIn(text: ParentNode): readonly HTMLElement[] {
  return [...text.querySelectorAll<HTMLElement>('code.file-mention:not(.link, a *)')];
}

function link(mention: HTMLElement): void {
  mention.classList.add('link');
  mention.role = 'link';
  mention.tabIndex = 0;
  mention.title = t('Open {0}', mention.textContent);
  mention.dataset.action = 'open-file';
  mention.dataset.url = mention.textContent;
}
