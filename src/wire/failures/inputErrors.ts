import type { ErrorReport } from './errorBody.ts';

const openingQuote = /(?<![\p{L}\p{N}_])["'`]|[“‘„«「『《]/u;
const closingQuote = /["'`”’“»」』》](?![\p{L}\p{N}_])|[」』》]/gu;

/**
 * The message of an error without text that may repeat the request.
 *
 * @param isBadRequest whether the status blames the request; then a message that names a field or a value becomes empty
 */
export function removeInput({ message = '', field }: ErrorReport, isBadRequest: boolean): string {
  const blamesInput = isBadRequest && (field !== undefined || inputSentences.test(message));
  return blamesInput ? '' : removeQuotations(message);
}

/** A quoted value may itself contain quotation marks, so the text between two quotations is removed too. */
function removeQuotations(message: string): string {
  const start = openingQuote.exec(message)?.index;
  if (start === undefined) return message;
  const end = [...message.matchAll(closingQuote)].at(-1)?.index ?? start;
  // A truncated message may lack the last mark.
  const isCut = end <= start || message.endsWith('…');
  return `${message.slice(0, start)} ${isCut ? '' : message.slice(end + 1)}`;
}

/** Words that can follow "invalid" or "unknown" although the error is not about a field or a value. */
const otherSubjects =
  /(?:(?:or missing|http)\s+)?(?:x-)?(?:api|subscription|access|auth\w*|proxy|security|credentials?|tokens?|keys?|requests?|response|errors?|status|signature|account|login)\b/
    .source;

const inputSentences = new RegExp(
  [
    `\\b(?:un(?:known|recogni[sz]ed|supported|expected)|invalid|illegal|bad|wrong|extra|additional|no such)\\s+(?!${otherSubjects})[\\w.[\\]-]`,
    /\b(?:unknown|unrecogni[sz]ed|unexpected|extra|additional) keys?(?:\(s\)| in\b|:)/.source,
    `\\bnot (?:allowed|permitted|supported|recogni[sz]ed|one of|among|in the list|(?:an? )?valid (?!${otherSubjects})\\w)`,
    /\b(?:can ?not|can['’]t|could not|failed to|unable to) (?:find|parse|download|fetch|load|read|decode|open)\b/
      .source,
    /\b(?:supported|allowed|valid|accepted|permitted|possible) (?:values|options|names|types)\b/.source,
    /\bexpected (?:one of|an?|either)\b|\b(?:input|value|it) should be\b|\bdoes(?: not|n['’]t) accept\b/
      .source,
    /\bmust be (?:an?|one of|either|in|between|less|greater|at (?:least|most))\b/.source,
    /\b(?:field|parameter|argument|property|attribute)s?\b|不支持|未知|参数|字段|取值/.source,
  ].join('|'),
  'i',
);

const cacheField = /\b(?:cache_control|prompt_cache_(?:key|retention|options|breakpoint))\b/i;
const refusedField =
  /\bun(?:known|recogni[sz]ed|supported|expected)\b|\bnot (?:permitted|allowed|supported|recogni[sz]ed)\b|\bdoes not (?:support|accept|exist)\b|\bextra\b|\bno such\b|不支持|未知/i;

/** Whether the error refuses a field for prompt caching, not only its value. */
export function refusesCacheFields({ message = '', field = '', words }: ErrorReport): boolean {
  const sentence = [message, ...words].join(' ');
  return cacheField.test(`${field} ${message}`) && refusedField.test(sentence.replaceAll('_', ' '));
}
