/** Words that the comparison of texts ignores. */
const emptyWords = new Set(
  'the and was were has have had been this that its task request video error message'.split(' '),
);

/** Whether a text contains only words of another text, so that showing both would be redundant. */
export function hasOnlyWordsOf(text: string, known: string): boolean {
  const knownWords = new Set(splitWords(known));
  return splitWords(text).every((word) => knownWords.has(word));
}

function splitWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gv) ?? [];
  return words.filter((word) => word.length > 2 && !emptyWords.has(word));
}

/** Adds a full stop to a text without a punctuation mark at its end. */
export function endSentence(text: string): string {
  return /[.!?…”"]$/.test(text) ? text : `${text}.`;
}
