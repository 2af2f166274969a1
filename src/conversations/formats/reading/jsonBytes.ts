/** What a byte of JSON is, outside of strings. */
export const byteKind = {
  /** Part of no JSON. */
  wrong: 0,
  space: 1,
  /** Of a number or a word, or a colon. */
  plain: 2,
  quote: 3,
  comma: 4,
  openBrace: 5,
  openBracket: 6,
  closeBrace: 7,
  closeBracket: 8,
} as const;

/** The kind of each byte outside of strings. */
export const kindOf = kinds();

/** Whether a byte within a string ends it, escapes the next one, or may not stand there: controls. */
export const isSpecialInString = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 1 : 0,
);

function kinds(): Uint8Array {
  const all = new Uint8Array(256);
  const set = (characters: string, kind: number) => {
    for (const character of characters) all[character.charCodeAt(0)] = kind;
  };
  set(' \t\r\n', byteKind.space);
  set('0123456789+-.eEtrufalsn:', byteKind.plain);
  set('"', byteKind.quote);
  set(',', byteKind.comma);
  set('{', byteKind.openBrace);
  set('[', byteKind.openBracket);
  set('}', byteKind.closeBrace);
  set(']', byteKind.closeBracket);
  return all;
}
