/** Replaces a hidden credential. */
export const redacted = '[redacted]';

/** The shortest piece of a credential that is hidden anywhere, in characters. */
const minPieceLength = 8;
/** The same for a piece of only digits: shorter ones occur in other numbers and checksums. */
const minDigitsLength = 14;
/** Pieces with fewer different characters occur in rulers and rows of dots. */
const minVariety = 4;
/** The number of layers of encodings that are searched. */
const maxDepth = 2;

/** Every way to write a credential, in lower case. */
export interface SecretForms {
  /** Pieces of the unchanged text. */
  readonly plain: Pieces;
  /** Pieces of letters and digits only, of the credential and of its encodings. */
  readonly bare: readonly Pieces[];
  /** The whole forms of a credential that is too short for pieces. */
  readonly short: readonly string[];
}

/**
 * The forms of a credential: itself, base64 of all kinds and base32 at every offset, hex, character codes, and
 * reversed.
 */
export function createSecretForms(secret: string): SecretForms {
  const plain = new Pieces(minPieceLength);
  const [letters, digits] = [new Pieces(minPieceLength), new Pieces(minDigitsLength)];
  if (secret.length < minPieceLength || new Set(secret).size < minVariety) {
    return {
      plain,
      bare: [],
      short: [...new Set([secret, ...(secret.length < 3 ? [] : listCompleteEncodings(secret))])],
    };
  }
  plain.addFrom(secret.toLowerCase());
  for (const { text, isDigits } of listBareForms(secret)) (isDigits ? digits : letters).addFrom(text);
  return { plain, bare: [letters, digits], short: [] };
}

/** The letters and digits, in lower case, of a credential and of its encodings. */
export function listBareForms(secret: string): readonly Encoding[] {
  const spellingEncodings = listSpellings(secret).flatMap((each) =>
    listEncodings(each, 1).filter(isDistinctive),
  );
  const base32 = [0, 1, 2, 3, 4].map((offset) => ({ text: cutBase32(secret, offset), isDigits: false }));
  return [...listEncodings(secret, maxDepth), ...spellingEncodings, ...base32].map(({ text, isDigits }) => ({
    text: keepLettersAndDigits(text),
    isDigits,
  }));
}

/**
 * Whether `text` contains the whole credential: unchanged, or in base64, hex or percent encoding. A credential of
 * less than eight characters occurs in too many texts by chance, and is never found.
 */
export function containsSecret(text: string, secret: string): boolean {
  if (secret.length < minPieceLength) return false;
  const folded = text.toLowerCase();
  return listCompleteForms(secret).some((form) => folded.includes(form.toLowerCase()));
}

/** The whole credential unchanged, and in base64, hex and percent encoding. */
export function listCompleteForms(secret: string): readonly string[] {
  return [...new Set([secret, ...listCompleteEncodings(secret)])];
}

/** The longer form of each pair comes first, so that its padding is also hidden. */
function listCompleteEncodings(secret: string): readonly string[] {
  const base64 = toBase64(secret);
  const percent = toHex(secret).replaceAll(/../g, '%$&');
  const url = Buffer.from(secret).toString('base64url');
  return [
    base64,
    base64.replace(/=+$/, ''),
    url,
    toHex(secret),
    encodeURIComponent(secret.toWellFormed()),
    percent,
  ];
}

/**
 * Texts that may be encoded instead of the credential: in one case, reversed, or with two bytes for each
 * character.
 */
function listSpellings(secret: string): readonly string[] {
  const reversed = [...secret].reverse().join('');
  return [secret.toUpperCase(), secret.toLowerCase(), reversed, [...secret].join('\0')];
}

interface Encoding {
  readonly text: string;
  readonly isDigits: boolean;
}

function listEncodings(text: string, depth: number): readonly Encoding[] {
  const reversed = [...text].reverse().join('');
  const own = [text, reversed].map((each) => ({ text: each, isDigits: false }));
  if (depth === 0) return own;
  const hex = toHex(text);
  const base64Texts = [0, 1, 2].map((offset) => cutBase64(text, offset));
  return [
    ...own,
    { text: hex, isDigits: true },
    { text: [...Buffer.from(text)].join(''), isDigits: true },
    ...[...base64Texts, hex, hex.toUpperCase()]
      .flatMap((each) => listEncodings(each, depth - 1))
      .filter(isDistinctive),
  ];
}

/** Hex within an encoding looks like any other hex, so its short pieces are not searched. */
function isDistinctive({ text, isDigits }: Encoding): boolean {
  return isDigits || !/^[\da-f]*$/i.test(text);
}

/**
 * The part of the base64 text that does not depend on the text before and after.
 *
 * @param offset bytes before it, modulo 3
 */
function cutBase64(text: string, offset: number): string {
  const base64 = toBase64('\0'.repeat(offset) + text);
  const bytes = offset + Buffer.byteLength(text);
  return base64.slice(offset === 0 ? 0 : offset + 1, Math.floor((bytes * 8) / 6));
}

/** The part of the base32 text that does not depend on the bytes before and after it. */
function cutBase32(text: string, offset: number): string {
  const bytes = Buffer.from('\0'.repeat(offset) + text);
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.slice(Math.ceil((offset * 8) / 5) * 5).match(/.{5}/g) ?? [];
  return groups.map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]).join('');
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function toHex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function keepLettersAndDigits(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}

const filterBits = 18;
const filterMask = (1 << filterBits) - 1;

/** Finds pieces of text of one length in a longer text, at little more than the cost of reading it. */
export class Pieces {
  readonly length: number;
  readonly #pieces = new Set<string>();
  /** A bit for each beginning of a piece, which excludes most positions. */
  readonly #filter = new Uint8Array((filterMask + 1) >> 3);

  /** @param length at least 4 characters */
  constructor(length: number) {
    this.length = length;
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /** Adds all pieces of a text. */
  addFrom(text: string): void {
    for (let at = 0; at + this.length <= text.length; at++) {
      const piece = text.slice(at, at + this.length);
      const hash = hashCodes(...readCodes(piece));
      this.#pieces.add(piece);
      this.#filter[hash >> 3] = (this.#filter[hash >> 3] ?? 0) | (1 << (hash & 7));
    }
  }

  /** Whether a piece begins at a position. */
  matchesAt(codes: Uint16Array, at: number): boolean {
    const hash = hashCodes(codes[at] ?? 0, codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0);
    if (((this.#filter[hash >> 3] ?? 0) & (1 << (hash & 7))) === 0) return false;
    return this.#pieces.has(String.fromCharCode(...codes.subarray(at, at + this.length)));
  }
}

function readCodes(piece: string): [number, number, number, number] {
  return [piece.charCodeAt(0), piece.charCodeAt(1), piece.charCodeAt(2), piece.charCodeAt(3)];
}

function hashCodes(first: number, second: number, third: number, fourth: number): number {
  return ((first << 13) ^ (second << 9) ^ (third << 5) ^ fourth) & filterMask;
}
