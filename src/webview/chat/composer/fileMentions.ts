import type { FromChatPage } from '../../../protocol/chatPage.ts';
import { t } from '../../words/l10n.ts';

/** The maximum number of files in one request, and in all requests of a page. */
const maxPerMessage = 50;
const maxRequested = 500;

/**
 * Turns file names in code, such as `src/a.ts:10`, into links, once the host has found the file. Only names in
 * complete replies are requested, and each name once.
 */
export class FileMentions {
  readonly #page: HTMLElement;
  readonly #post: (message: FromChatPage) => void;
  readonly #requested = new Set<string>();
  readonly #existing = new Set<string>();

  constructor(page: HTMLElement, post: (message: FromChatPage) => void) {
    this.#page = page;
    this.#post = post;
  }

  /** Reads the names in a complete text. Turns names of existing files into links, and requests unknown names. */
  read(text: ParentNode): void {
    const unknown: string[] = [];
    for (const mention of findMentions(text)) {
      const name = mention.textContent;
      if (this.#existing.has(name)) makeLink(mention);
      else if (!this.#requested.has(name) && this.#requested.size < maxRequested) {
        this.#requested.add(name);
        unknown.push(name);
      }
    }
    for (let start = 0; start < unknown.length; start += maxPerMessage) {
      this.#post({ type: 'find-files', references: unknown.slice(start, start + maxPerMessage) });
    }
  }

  /** Turns the names of existing files into links. */
  show(existing: readonly string[]): void {
    for (const name of existing) this.#existing.add(name);
    for (const mention of findMentions(this.#page)) {
      if (this.#existing.has(mention.textContent)) makeLink(mention);
    }
  }
}

function findMentions(text: ParentNode): readonly HTMLElement[] {
  return [...text.querySelectorAll<HTMLElement>('code.file-mention:not(.link, a *)')];
}

function makeLink(mention: HTMLElement): void {
  mention.classList.add('link');
  mention.role = 'link';
  mention.tabIndex = 0;
  mention.title = t('Open {0}', mention.textContent);
  mention.dataset.action = 'open-file';
  mention.dataset.url = mention.textContent;
}
