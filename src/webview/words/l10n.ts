/** What the host wrote into the document: messages by their English. Nothing where the display language is English. */
const written = globalThis.document?.body?.dataset?.words;

const messages: Readonly<Record<string, string>> = written === undefined ? {} : JSON.parse(written);

/** The language of the words, for `Intl`. */
export const displayLanguage = written === undefined ? 'en' : document.documentElement.lang;

/**
 * A message in the display language.
 *
 * @param message its English, a literal at each call, because a test looks for it; `{0}` stands for the first value
 */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const words = messages[message] ?? message;
  return words.replace(/\{(\d)\}/g, (placeholder, at) => String(values[at] ?? placeholder));
}

/** A number as it is written in the display language, such as "1,200". */
export function numberWords(value: number): string {
  return value.toLocaleString(displayLanguage);
}
