/** Words without a meaning of their own. */
const emptyWords = new Set(
  'the and was were has have had been this that its task request video error message'.split(' '),
);

/** Whether a text contains only words of another text, so that it does not need to be shown as well. */
export function hasOnlyWordsOf(text: string, known: string): boolean {
  const knownWords = new Set(wordsOf(known));
  return wordsOf(text).every((word) => knownWords.has(word));
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gv) ?? [];
  return words.filter((word) => word.length > 2 && !emptyWords.has(word));
}

/** Ends a text as a sentence. */
export function sentence(text: string): string {
  return /[.!?…”"]$/.test(text) ? text : `${text}.`;
}
