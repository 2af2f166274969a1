const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

const lettersPerToken = 6;
/** A letter or digit of a script whose words have several letters. Any other character counts as one token. */
const wordLetter = /^(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])[\p{L}\p{N}]/u;

/** Cuts text into pieces of the size of a token, never within a character. */
export function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  let token = '';
  let letters = 0;
  for (const { segment } of characters.segment(text)) {
    const isLetter = wordLetter.test(segment);
    const continues = isLetter
      ? letters < lettersPerToken && (letters > 0 || isBlank(token))
      : isBlank(token);
    if (!continues && token !== '') {
      tokens.push(token);
      token = '';
      letters = 0;
    }
    token += segment;
    letters = isLetter ? letters + 1 : segment === ' ' ? 0 : lettersPerToken;
  }
  return token === '' ? tokens : [...tokens, token];
}

/** Estimates the tokens of a text: four bytes each. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Cuts a text after its first `maxCharacters` characters, and adds an ellipsis if it was longer. */
export function truncateCharacters(text: string, maxCharacters: number): string {
  let count = 0;
  for (const { index } of characters.segment(text)) {
    if (count === maxCharacters) return `${text.slice(0, index).trimEnd()}…`;
    count += 1;
  }
  return text;
}

function isBlank(token: string): boolean {
  return /^ *$/.test(token);
}
