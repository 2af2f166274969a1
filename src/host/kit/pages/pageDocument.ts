import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Escapes a text for HTML, including attributes. Titles and errors may contain any characters. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The languages of the pages' translations, by VS Code's names, with their HTML language tags. */
const tags: Readonly<Record<string, string>> = { 'zh-cn': 'zh-CN' };

/**
 * The language of a page for its document, so that fonts and screen readers match it.
 *
 * @param language VS Code's display language
 */
export function languageTag(language: string): string {
  return Object.hasOwn(tags, language) ? (tags[language] ?? 'en') : 'en';
}

/**
 * The translated messages by their English texts, as JSON. Undefined if the page is in English, which is in its
 * bundle.
 *
 * @param dist the folder of the pages' bundle
 * @param language VS Code's display language
 */
export function pageWords(dist: string, language: string): string | undefined {
  if (!Object.hasOwn(tags, language)) return undefined;
  // Synchronous, because a panel needs its document at once; reading 20 KB takes less than a millisecond.
  return readFileSync(join(dist, '..', 'media', 'l10n', `pages.l10n.${language}.json`), 'utf8');
}
