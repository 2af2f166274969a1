import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Escapes a text for HTML, including attributes. Titles and errors may contain any characters. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The languages of the pages' translations, by VS Code's names, with their HTML language tags. */
const languageTags: Readonly<Record<string, string>> = { 'zh-cn': 'zh-CN' };

/**
 * Returns the language tag of a page's document, which fonts and screen readers use.
 *
 * @param language VS Code's display language
 */
export function toLanguageTag(language: string): string {
  return Object.hasOwn(languageTags, language) ? (languageTags[language] ?? 'en') : 'en';
}

/**
 * Reads the translated messages by their English texts, as JSON. Returns undefined if the page is in English, because
 * the bundle contains the English texts.
 *
 * @param dist the folder of the pages' bundle
 * @param language VS Code's display language
 */
export function readPageWords(dist: string, language: string): string | undefined {
  if (!Object.hasOwn(languageTags, language)) return undefined;
  // The read is synchronous, because a panel needs its document at once. Reading 20 KB takes less than a millisecond.
  return readFileSync(join(dist, '..', 'media', 'l10n', `pages.l10n.${language}.json`), 'utf8');
}
