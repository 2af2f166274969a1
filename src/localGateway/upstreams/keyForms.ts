import { bareForms } from '../../wire/secrets/secretForms.ts';

/** The fewest consecutive letters and digits of a long key that are hidden. */
const maxWindow = 16;
/** A shorter key is part of too many texts. */
const minWindow = 8;
/** Shorter windows of digits occur in numbers. */
const minDigits = 14;
/** Windows with fewer different characters occur in rulers and rows of dots. */
const minVariety = 4;

const filterBits = 18;
export const gramFactor = 0x9e3779b1;
export const gramShift = 32 - filterBits;

/** How many letters and digits a gram has. */
export const gramLength = 4;

/** A letter or a digit as a number from 1 to 36; 0 for every other byte. */
export const codeOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(String.fromCharCode(byte).toLowerCase());
  return byte < 128 ? at + 1 : 0;
});

/** The last grams' codes, six bits each. */
export function nextGram(gram: number, code: number): number {
  return ((gram << 6) | code) & 0xffffff;
}

/** All encodings of one key, for a quick search: first by four characters, then by a whole window. */
export class KeyForms {
  /** How many letters and digits have to match. */
  readonly window: number;
  readonly #windows = new Set<string>();
  /** A bit for each gram at `gramPlace`, which excludes most texts. */
  readonly grams = new Uint8Array((1 << filterBits) >> 3);

  constructor(key: string, window: number) {
    this.window = window;
    for (const { text, isDigits } of bareForms(key)) {
      if (isDigits && window < minDigits) continue;
      for (let at = 0; at + window <= text.length; at++) this.#add(text.slice(at, at + window));
    }
  }

  #add(text: string): void {
    if (this.#windows.has(text) || new Set(text).size < minVariety) return;
    this.#windows.add(text);
    let gram = 0;
    for (let at = 0; at < text.length; at++) {
      gram = nextGram(gram, codeOf[text.charCodeAt(at)] ?? 0);
      const place = gramPlace(gram);
      if (at + 1 >= gramLength) this.grams[place >> 3] = (this.grams[place >> 3] ?? 0) | (1 << (place & 7));
    }
  }

  hasWindow(text: string): boolean {
    return this.#windows.has(text);
  }
}

/** The place of a gram among the bits. */
export function gramPlace(gram: number): number {
  return Math.imul(gram, gramFactor) >>> gramShift;
}

/** Their forms take thousands of windows, and an upstream has the same key for many requests. */
const maxKnown = 16;
const known = new Map<string, KeyForms>();

/**
 * The forms of a key.
 *
 * @param isFailure whether the reply is a failure, which holds no text of a model
 * @returns undefined for a key that is too short, or so short and plain that it is made up for a server that needs none
 */
export function keyForms(key: string, isFailure: boolean): KeyForms | undefined {
  const letters = key.replaceAll(/[^a-z\d]/gi, '').length;
  if (letters < minWindow || new Set(key).size < minVariety) return undefined;
  if (!isFailure && key.length < maxWindow && !/\d/.test(key)) return undefined;
  // Most of a short key is as good as all of it.
  const window = Math.max(minWindow, Math.min(maxWindow, Math.floor((letters * 2) / 3)));
  const forms = known.get(key) ?? new KeyForms(key, window);
  known.set(key, forms);
  for (const oldest of known.keys()) if (known.size > maxKnown) known.delete(oldest);
  return forms;
}
