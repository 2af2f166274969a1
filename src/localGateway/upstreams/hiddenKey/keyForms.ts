import { listBareForms } from '../../../wire/secrets/secretForms.ts';

/** The window of a long key: at least this many consecutive letters and digits of it are hidden. */
const maxWindow = 16;
/** The window of a short key. Keys that are shorter still occur in too many texts. */
const minWindow = 8;
/** Shorter windows of digits occur in numbers. */
const minDigits = 14;
/** Windows with fewer different characters, such as rows of zeros, occur in too many texts. */
const minVariety = 4;

const filterBits = 18;
export const gramFactor = 0x9e3779b1;
export const gramShift = 32 - filterBits;

/** The length of a gram, which is a sequence of letters and digits that a fast search looks for. */
export const gramLength = 4;

/** The code of a letter or a digit, from 1 to 36, by its byte; 0 for every other byte. */
export const codeOfByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const index = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(String.fromCharCode(byte).toLowerCase());
  return byte < 128 ? index + 1 : 0;
});

/** Appends a code to a gram, which consists of the last four codes with six bits each. */
export function appendToGram(gram: number, code: number): number {
  return ((gram << 6) | code) & 0xffffff;
}

/** All encodings of one key, for a fast search: first by four characters, then by a whole window. */
export class KeyForms {
  /** The number of letters and digits that have to match. */
  readonly window: number;
  /** Whether the key is so short and plain that it is probably a placeholder for a server without keys. */
  readonly isPlain: boolean;
  readonly #windows = new Set<string>();
  /** A bit for each gram, at `findGramBit`. Most texts do not match any of them. */
  readonly gramBits = new Uint8Array((1 << filterBits) >> 3);

  constructor(key: string, window: number) {
    this.window = window;
    this.isPlain = key.length < maxWindow && !/\d/.test(key);
    for (const { text, isDigits } of listBareForms(key)) {
      if (isDigits && window < minDigits) continue;
      for (let index = 0; index + window <= text.length; index++)
        this.#add(text.slice(index, index + window));
    }
  }

  #add(text: string): void {
    if (this.#windows.has(text) || new Set(text).size < minVariety) return;
    this.#windows.add(text);
    let gram = 0;
    for (let index = 0; index < text.length; index++) {
      gram = appendToGram(gram, codeOfByte[text.charCodeAt(index)] ?? 0);
      const bit = findGramBit(gram);
      if (index + 1 >= gramLength)
        this.gramBits[bit >> 3] = (this.gramBits[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  hasWindow(text: string): boolean {
    return this.#windows.has(text);
  }

  /**
   * Whether a text may contain the key. This search is much faster than a filter, but does not read escapes and
   * strings: every text with one of them may contain the key.
   */
  mayOccurIn(text: string): boolean {
    if (!plainText.test(text) || hexPrefix.test(text)) return true;
    // Of so many consecutive grams, a window contains exactly one.
    const distance = this.window - gramLength + 1;
    let [count, gram] = [0, 0];
    for (let index = 0; index < text.length; index++) {
      const code = codeOfByte[text.charCodeAt(index)] ?? 0;
      if (code === 0) continue;
      gram = appendToGram(gram, code);
      count += 1;
      if (count < distance) continue;
      count = 0;
      const bit = findGramBit(gram);
      if (((this.gramBits[bit >> 3] ?? 0) >> (bit & 7)) & 1) return true;
    }
    return false;
  }
}

/** Matches ASCII without escapes and quotes. Other characters may be full-width letters. */
const plainText = /^[\n !#$'-[\]-~]*$/;
const hexPrefix = /0[xX]/;

/** Finds the index of the bit of a gram. */
export function findGramBit(gram: number): number {
  return Math.imul(gram, gramFactor) >>> gramShift;
}

/** Forms are cached, because they have thousands of windows and one key serves many requests. */
const maxCachedForms = 16;
const cachedForms = new Map<string, KeyForms>();

/**
 * Finds the forms of a key in a cache, or creates them.
 *
 * @param isFailure whether the reply is a failure, which does not contain text of a model
 * @returns undefined for a key that is too short, or plain unless the reply is a failure
 */
export function findKeyForms(key: string, isFailure: boolean): KeyForms | undefined {
  const forms = cachedForms.get(key) ?? createForms(key);
  return forms?.isPlain && !isFailure ? undefined : forms;
}

function createForms(key: string): KeyForms | undefined {
  const letters = key.replaceAll(/[^a-z\d]/gi, '').length;
  if (letters < minWindow || new Set(key).size < minVariety) return undefined;
  // Two thirds of a short key are as sensitive as all of it.
  const window = Math.max(minWindow, Math.min(maxWindow, Math.floor((letters * 2) / 3)));
  const forms = new KeyForms(key, window);
  cachedForms.set(key, forms);
  for (const oldest of cachedForms.keys()) if (cachedForms.size > maxCachedForms) cachedForms.delete(oldest);
  return forms;
}
