// Where the tokens of JSON end in its bytes, without a value being built. All of it is made for long bodies: a
// byte of a prompt costs less than a nanosecond.

/** No end: the bytes are no token. */
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
const blankBytes = byteTable(' \t\n\r');
const digitBytes = byteTable(digits);
const hexBytes = byteTable(`${digits}abcdefABCDEF`);
const escapedBytes = byteTable('"\\/bfnrt');
/** All bytes of strings but the quote, the backslash and control characters. */
const plainBytes = new Uint8Array(256).fill(1, 0x20);
plainBytes[quote] = 0;
plainBytes[backslash] = 0;
/** Whether two bytes, the first in the lower half, are plain ones or one escape: strings are read by twos. */
const stringPairs = new Uint8Array(0x10000);
for (let pair = 0; pair < stringPairs.length; pair += 1) {
  const first = pair & 0xff;
  const table = first === backslash ? escapedBytes : plainBytes;
  stringPairs[pair] = first === backslash || plainBytes[first] === 1 ? (table[pair >> 8] ?? 0) : 0;
}

const words = ['true', 'false', 'null'].map((word) => Buffer.from(word));
/** By their first byte. */
const wordOf = new Map(words.map((word) => [word[0], word]));

/** Where the white space that begins here ends. */
export function blanksEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (blankBytes[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/**
 * Where the string ends whose quote is here. Its bytes need not be UTF-8.
 *
 * @returns the place after its last quote, or `noEnd`
 */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    while (stringPairs[(bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)] === 1) at += 2;
    const byte = bytes[at] ?? 0;
    if (byte === quote) return at + 1;
    at = plainBytes[byte] === 1 ? at + 1 : escapeEnd(bytes, at);
    if (at === noEnd) return noEnd;
  }
}

/** Where an escape of a code unit ends that is to begin here. */
function escapeEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== backslash || bytes[start + 1] !== letterU) return noEnd;
  const end = start + 6;
  for (let at = start + 2; at < end; at += 1) if (hexBytes[bytes[at] ?? 0] !== 1) return noEnd;
  return end;
}

/**
 * Where the number, true, false or null ends that begins here.
 *
 * @returns the place after it, or `noEnd`
 */
export function wordEnd(bytes: Uint8Array, start: number): number {
  const word = wordOf.get(bytes[start]);
  if (!word) return numberEnd(bytes, start);
  for (let i = 1; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return noEnd;
  return start + word.length;
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start;
  at = bytes[at] === zero ? at + 1 : digitsEnd(bytes, at);
  if (at !== noEnd && bytes[at] === point) at = digitsEnd(bytes, at + 1);
  if (at === noEnd || (bytes[at] !== letterE && bytes[at] !== upperE)) return at;
  const isSigned = bytes[at + 1] === plus || bytes[at + 1] === minus;
  return digitsEnd(bytes, isSigned ? at + 2 : at + 1);
}

/** Where the digits end that begin here, at least one. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (digitBytes[bytes[at] ?? 0] === 1) at += 1;
  return at === start ? noEnd : at;
}

function byteTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}
