/** One character as a text may spell it. */
export interface Spelled {
  /** Its code; 0 where it is none that a key may hold. */
  readonly value: number;
  /** How many bytes spell it. */
  readonly length: number;
}

const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;
/** A longer run of backslashes is no escape. */
const maxBackslashes = 64;
/** The longest entity that is read. */
const maxEntity = 32;

/**
 * Reads an escape of JSON, JavaScript, C, URLs or HTML, also where it was escaped several times.
 *
 * @returns `more` where the bytes may end within it; undefined where there is none
 */
export function escapeAt(bytes: Uint8Array, at: number): Spelled | 'more' | undefined {
  switch (bytes[at]) {
    case backslash:
      return backslashAt(bytes, at);
    case percent:
      return percentAt(bytes, at);
    case ampersand:
      return entityAt(bytes, at);
    default:
      return undefined;
  }
}

/** The usual escapes of JSON, which spell no character of a key. */
const usual: ReadonlyMap<number | undefined, Spelled> = new Map(
  [...'"/bfnrt'].map((letter) => [
    letter.charCodeAt(0),
    { value: letter === '/' ? letter.charCodeAt(0) : 0, length: 2 },
  ]),
);

function backslashAt(bytes: Uint8Array, at: number): Spelled | 'more' | undefined {
  const known = usual.get(bytes[at + 1]);
  if (known) return known;
  let next = at + 1;
  while (bytes[next] === backslash && next - at < maxBackslashes) next += 1;
  const text = textAt(bytes, next, 10);
  if (text === '') return 'more';
  // Behind an even number of backslashes a quote ends its string.
  if (text.startsWith('"')) return { value: 0, length: next - at + ((next - at) % 2) };
  return (
    spelledBy(/^U([\dA-Fa-f]{8})/, text, next - at, 16) ??
    spelledBy(/^(?:[ux]\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/i, text, next - at, 16) ??
    spelledBy(/^([0-3][0-7]{2})/, text, next - at, 8) ??
    (/^(?:[ux][\da-f{]{0,8}|[0-3][0-7]?)$/i.test(text)
      ? 'more'
      : { value: 0, length: next - at + (/^[bfnrt]/.test(text) ? 1 : 0) })
  );
}

function percentAt(bytes: Uint8Array, at: number): Spelled | 'more' | undefined {
  const text = textAt(bytes, at + 1, 12);
  if (/^(?:25)*(?:u[\da-f]{0,3}|[\da-f]?)$/i.test(text) && text.length < 12) return 'more';
  return spelledBy(/^(?:25)*(?:u([\da-f]{4})|([\da-f]{2}))/i, text, 1, 16);
}

function entityAt(bytes: Uint8Array, at: number): Spelled | 'more' | undefined {
  const text = textAt(bytes, at + 1, maxEntity);
  const spelled =
    spelledBy(/^(?:amp;){0,4}#x0*([\da-f]{1,4});?/i, text, 1, 16) ??
    spelledBy(/^(?:amp;){0,4}#0*(\d{1,5});?/, text, 1, 10);
  if (spelled) {
    // More digits may follow.
    const isOpen = spelled.length > text.length && text.length < maxEntity && !text.endsWith(';');
    return isOpen ? 'more' : spelled;
  }
  const [name] = /^(?!amp;(?:#|amp;#|$))[a-z]{2,8};/i.exec(text) ?? [];
  if (name) return { value: 0, length: name.length + 1 };
  return /^(?:amp;){0,4}(?:[a-z]{0,8}|#x?0*)$/i.test(text) && text.length < maxEntity ? 'more' : undefined;
}

function spelledBy(pattern: RegExp, text: string, before: number, base: number): Spelled | undefined {
  const [all, ...digits] = pattern.exec(text) ?? [];
  const found = digits.find((each) => each !== undefined);
  if (all === undefined || found === undefined) return undefined;
  return { value: Number.parseInt(found, base), length: before + all.length };
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
