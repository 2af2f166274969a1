/** One character in one of its spellings. */
export interface SpelledCharacter {
  /** Its code; 0 if it cannot occur in a key. */
  readonly value: number;
  /** The number of bytes that spell it. */
  readonly length: number;
}

const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;
/** A longer run of backslashes is not an escape. */
const maxBackslashes = 64;
/** The longest HTML entity that is read, without its ampersand. */
const maxEntityLength = 32;

/**
 * Reads an escape of JSON, JavaScript, C, URLs or HTML, even if it was escaped several times.
 *
 * @returns `more` if the escape may continue after the bytes; undefined if there is none
 */
export function readEscape(bytes: Uint8Array, index: number): SpelledCharacter | 'more' | undefined {
  switch (bytes[index]) {
    case backslash:
      return readBackslashEscape(bytes, index);
    case percent:
      return readPercentEscape(bytes, index);
    case ampersand:
      return readEntity(bytes, index);
    default:
      return undefined;
  }
}

/** The escapes of JSON with one letter. Only `\/` spells a character that a key may contain. */
const jsonEscapes: ReadonlyMap<number | undefined, SpelledCharacter> = new Map(
  [...'"/bfnrt'].map((letter) => [
    letter.charCodeAt(0),
    { value: letter === '/' ? letter.charCodeAt(0) : 0, length: 2 },
  ]),
);

function readBackslashEscape(bytes: Uint8Array, index: number): SpelledCharacter | 'more' | undefined {
  const jsonEscape = jsonEscapes.get(bytes[index + 1]);
  if (jsonEscape) return jsonEscape;
  let next = index + 1;
  while (bytes[next] === backslash && next - index < maxBackslashes) next += 1;
  const text = readText(bytes, next, 10);
  if (text === '') return 'more';
  // A quote after an even number of backslashes ends its string.
  if (text.startsWith('"')) return { value: 0, length: next - index + ((next - index) % 2) };
  return (
    matchSpelling(/^U([\dA-Fa-f]{8})/, text, next - index, 16) ??
    matchSpelling(/^(?:[ux]\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/i, text, next - index, 16) ??
    matchSpelling(/^([0-3][0-7]{2})/, text, next - index, 8) ??
    (/^(?:[ux][\da-f{]{0,8}|[0-3][0-7]?)$/i.test(text)
      ? 'more'
      : { value: 0, length: next - index + (/^[bfnrt]/.test(text) ? 1 : 0) })
  );
}

function readPercentEscape(bytes: Uint8Array, index: number): SpelledCharacter | 'more' | undefined {
  const text = readText(bytes, index + 1, 12);
  if (/^(?:25)*(?:u[\da-f]{0,3}|[\da-f]?)$/i.test(text) && text.length < 12) return 'more';
  return matchSpelling(/^(?:25)*(?:u([\da-f]{4})|([\da-f]{2}))/i, text, 1, 16);
}

function readEntity(bytes: Uint8Array, index: number): SpelledCharacter | 'more' | undefined {
  const text = readText(bytes, index + 1, maxEntityLength);
  const character =
    matchSpelling(/^(?:amp;){0,4}#x0*([\da-f]{1,4});?/i, text, 1, 16) ??
    matchSpelling(/^(?:amp;){0,4}#0*(\d{1,5});?/, text, 1, 10);
  if (character) {
    // More digits may follow.
    const isOpen = character.length > text.length && text.length < maxEntityLength && !text.endsWith(';');
    return isOpen ? 'more' : character;
  }
  const [name] = /^(?!amp;(?:#|amp;#|$))[a-z]{2,8};/i.exec(text) ?? [];
  if (name) return { value: 0, length: name.length + 1 };
  return /^(?:amp;){0,4}(?:[a-z]{0,8}|#x?0*)$/i.test(text) && text.length < maxEntityLength
    ? 'more'
    : undefined;
}

/** @param prefixLength the number of bytes before the text that belong to the spelling */
function matchSpelling(
  pattern: RegExp,
  text: string,
  prefixLength: number,
  base: number,
): SpelledCharacter | undefined {
  const [match, ...groups] = pattern.exec(text) ?? [];
  const digits = groups.find((group) => group !== undefined);
  if (match === undefined || digits === undefined) return undefined;
  return { value: Number.parseInt(digits, base), length: prefixLength + match.length };
}

function readText(bytes: Uint8Array, index: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(index, index + length));
}
