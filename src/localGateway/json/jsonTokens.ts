// Functions that find the ends of JSON tokens in bytes, without building values. They are optimized for long
// bodies: a byte of a prompt costs less than a nanosecond.

/** Returned if the bytes are not a valid token. */
export const noEnd = -1;

const digits = '0123456789';
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const zero = 0x30;
const point = 0x2e;
const minus = 0x2d;
const plus = 0x2b;
const letterE = 0x65;
const upperE = 0x45;
const blankBytes = createByteTable(' \t\n\r');
const digitBytes = createByteTable(digits);
const hexBytes = createByteTable(`${digits}abcdefABCDEF`);
const escapedBytes = createByteTable('"\\/bfnrt');
/** All bytes of strings except the quote, the backslash and control characters. */
const plainBytes = new Uint8Array(256).fill(1, 0x20);
plainBytes[quote] = 0;
plainBytes[backslash] = 0;
/**
 * For each pair of bytes, 1 if both are plain or if the pair is one escape, because strings are read two bytes at a
 * time. The first byte of the pair is the lower byte of the index.
 */
const stringPairs = new Uint8Array(0x10000);
for (let pair = 0; pair < stringPairs.length; pair += 1) {
  const first = pair & 0xff;
  const table = first === backslash ? escapedBytes : plainBytes;
  stringPairs[pair] = first === backslash || plainBytes[first] === 1 ? (table[pair >> 8] ?? 0) : 0;
}

const keywords = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const keywordByFirstByte = new Map(keywords.map((word) => [word[0], word]));

/** Finds the end of the white space at `start`; `start` if there is none. */
export function findWhitespaceEnd(bytes: Uint8Array, start: number): number {
  let index = start;
  while (blankBytes[bytes[index] ?? 0] === 1) index += 1;
  return index;
}

/**
 * Finds the end of the string whose quote is at `start`. Its bytes need not be UTF-8.
 *
 * @returns the position after its last quote, or `noEnd`
 */
export function findStringEnd(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  for (;;) {
    while (stringPairs[(bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8)] === 1) index += 2;
    const byte = bytes[index] ?? 0;
    if (byte === quote) return index + 1;
    index = plainBytes[byte] === 1 ? index + 1 : findEscapeEnd(bytes, index);
    if (index === noEnd) return noEnd;
  }
}

/** Finds the end of the escape of a code unit, such as `\u0041`, at `start`. */
function findEscapeEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== backslash || bytes[start + 1] !== letterU) return noEnd;
  const end = start + 6;
  for (let index = start + 2; index < end; index += 1) if (hexBytes[bytes[index] ?? 0] !== 1) return noEnd;
  return end;
}

/**
 * Finds the end of the number, true, false or null at `start`.
 *
 * @returns the position after it, or `noEnd`
 */
export function findScalarEnd(bytes: Uint8Array, start: number): number {
  const word = keywordByFirstByte.get(bytes[start]);
  if (!word) return findNumberEnd(bytes, start);
  for (let i = 1; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return noEnd;
  return start + word.length;
}

function findNumberEnd(bytes: Uint8Array, start: number): number {
  let index = bytes[start] === minus ? start + 1 : start;
  index = bytes[index] === zero ? index + 1 : findDigitsEnd(bytes, index);
  if (index !== noEnd && bytes[index] === point) index = findDigitsEnd(bytes, index + 1);
  if (index === noEnd || (bytes[index] !== letterE && bytes[index] !== upperE)) return index;
  const isSigned = bytes[index + 1] === plus || bytes[index + 1] === minus;
  return findDigitsEnd(bytes, isSigned ? index + 2 : index + 1);
}

/** Finds the end of the digits at `start`; at least one is required. */
function findDigitsEnd(bytes: Uint8Array, start: number): number {
  let index = start;
  while (digitBytes[bytes[index] ?? 0] === 1) index += 1;
  return index === start ? noEnd : index;
}

function createByteTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}
