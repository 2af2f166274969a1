import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The languages into which the pages are translated, by VS Code's names and by those of documents. */
const tags: Readonly<Record<string, string>> = { 'zh-cn': 'zh-CN' };

/**
 * The language that a page speaks, for its document, so that fonts and screen readers fit.
 *
 * @param language VS Code's display language
 */
export function languageTag(language: string): string {
  return Object.hasOwn(tags, language) ? (tags[language] ?? 'en') : 'en';
}

/**
 * The messages of the display language by their English, as JSON. Undefined where the page speaks English, which is
 * in its bundle.
 *
 * @param dist the folder of the pages' bundle
 * @param language VS Code's display language
 */
export function pageWords(dist: string, language: string): string | undefined {
  if (!Object.hasOwn(tags, language)) return undefined;
  // Not awaited, because a panel gets its document at once; 20 KB are read in less than a millisecond.
  return readFileSync(join(dist, '..', 'media', 'l10n', `pages.l10n.${language}.json`), 'utf8');
}
