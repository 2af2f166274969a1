/**
 * Messages by their English text, which the host wrote into the document. Undefined if the display language is
 * English.
 */
const messagesJson = globalThis.document?.body?.dataset?.words;

const messages: Readonly<Record<string, string>> = messagesJson === undefined ? {} : JSON.parse(messagesJson);

/** The display language, for `Intl`. */
export const displayLanguage = messagesJson === undefined ? 'en' : document.documentElement.lang;

/**
 * A message in the display language.
 *
 * @param message the English text, a literal at each call, because a test searches for it; `{0}` is the first
 * value
 */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const words = messages[message] ?? message;
  return words.replace(/\{(\d)\}/g, (placeholder, index) => String(values[index] ?? placeholder));
}

/** A number as it is written in the display language, such as "1,200". */
export function formatNumber(value: number): string {
  return value.toLocaleString(displayLanguage);
}
