/**
 * JSON of the messages by their English text, which the host wrote into the document. Undefined if the display
 * language is English.
 */
const messagesJson = globalThis.document?.body?.dataset?.words;

const messages: Readonly<Record<string, string>> = messagesJson === undefined ? {} : JSON.parse(messagesJson);

/** The display language, for `Intl`. */
export const displayLanguage = messagesJson === undefined ? 'en' : document.documentElement.lang;

/**
 * Translates a message into the display language.
 *
 * @param message the English text, a literal at each call, because a test searches for it; `{0}` is the first
 * value
 */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const text = messages[message] ?? message;
  return text.replace(/\{(\d)\}/g, (placeholder, index) => String(values[index] ?? placeholder));
}

/** Formats a number as the display language writes it, such as "1,200". */
export function formatNumber(value: number): string {
  return value.toLocaleString(displayLanguage);
}
