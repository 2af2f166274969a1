import { FormsFilter } from './formsFilter.ts';
import { type KeyFilter, star } from './keyFilter.ts';
import { keyForms } from './keyForms.ts';

/** A shorter key is a letter or a syllable of any text. */
const minPlainLength = 4;

/**
 * Hides a key in the bytes of a reply: as it is, in common encodings and escapes, wherever the bytes are cut, and where
 * the texts of a stream hold it piece by piece. The length of the reply stays the same, and JSON stays JSON.
 *
 * @returns undefined where the reply can hold no such key
 */
export function keyFilter(
  key: string,
  { status, type }: { readonly status: number; readonly type: string },
): KeyFilter | undefined {
  const isFailure = status >= 400;
  const forms = keyForms(key, isFailure);
  if (forms)
    return new FormsFilter(forms, { isEvents: type.startsWith('text/event-stream'), isText: isText(type) });
  return isFailure && key.length >= minPlainLength ? new PlainFilter(key) : undefined;
}

/** Whether the body is text. */
function isText(type: string): boolean {
  return /^$|^text\/|json|xml/.test(type);
}

/** The bytes of a whole reply without the key. */
export function withoutKey(bytes: Uint8Array, key: string, type = 'application/json'): Uint8Array {
  const filter = keyFilter(key, { status: 400, type });
  return filter ? Buffer.concat([filter.write(Buffer.from(bytes)), filter.end()]) : bytes;
}

/** The same for bytes as they come. */
export async function* hiddenIn(
  body: AsyncIterable<Uint8Array | string>,
  filter: KeyFilter,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    const bytes = filter.write(Buffer.from(piece as Uint8Array));
    if (bytes.length > 0) yield bytes;
  }
  const rest = filter.end();
  if (rest.length > 0) yield rest;
}

/** Whether the text holds the key in any of its forms. */
export function holdsKey(text: string, key: string): boolean {
  return text.includes(key) || !Buffer.from(text).equals(withoutKey(Buffer.from(text), key, 'text/plain'));
}

/** Hides a short key in its plain form only. */
class PlainFilter implements KeyFilter {
  readonly #sought: Buffer;
  readonly #cover: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(key: string) {
    this.#sought = Buffer.from(key);
    this.#cover = Buffer.alloc(this.#sought.length, star);
  }

  write(piece: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#held, piece]);
    const sought = this.#sought;
    for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length))
      this.#cover.copy(bytes, at);
    const end = this.#endBefore(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  end(): Uint8Array {
    return this.#held;
  }

  /** Where the bytes end that cannot be the beginning of the key. */
  #endBefore(bytes: Buffer): number {
    const longest = Math.min(bytes.length, this.#sought.length - 1);
    for (let length = longest; length > 0; length -= 1) {
      if (bytes.subarray(-length).equals(this.#sought.subarray(0, length))) return bytes.length - length;
    }
    return bytes.length;
  }
}
