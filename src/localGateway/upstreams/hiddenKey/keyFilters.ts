import { FormsFilter, type KeyFilter, maskByte } from './formsFilter.ts';
import { findKeyForms } from './keyForms.ts';

/** Shorter keys are not hidden, because they occur in most texts by chance. */
const minPlainLength = 4;

/**
 * Creates a filter that hides a key in the bytes of a reply: in plain form, in common encodings and escapes, across
 * any chunk borders, and if the texts of a stream contain it piece by piece. The length of the reply stays the same,
 * and JSON stays JSON.
 *
 * @returns undefined if the reply cannot contain the key
 */
export function createKeyFilter(
  key: string,
  { status, type }: { readonly status: number; readonly type: string },
): KeyFilter | undefined {
  const isFailure = status >= 400;
  const forms = findKeyForms(key, isFailure);
  if (forms)
    return new FormsFilter(forms, { isEvents: type.startsWith('text/event-stream'), isText: isText(type) });
  return isFailure && key.length >= minPlainLength ? new PlainFilter(key) : undefined;
}

function isText(type: string): boolean {
  return /^$|^text\/|json|xml/.test(type);
}

/**
 * Creates a filter that hides several keys, as `createKeyFilter` hides one.
 *
 * @returns undefined if the reply cannot contain any of them
 */
export function createKeysFilter(
  keys: readonly string[],
  reply: { readonly status: number; readonly type: string },
): KeyFilter | undefined {
  const filters = keys.map((key) => createKeyFilter(key, reply)).filter((filter) => filter !== undefined);
  const [only] = filters;
  return filters.length > 1 ? new FilterChain(filters) : only;
}

/** Hides the keys in a whole reply of a failure or a list. */
export function hideKeys(bytes: Uint8Array, keys: readonly string[], type = 'application/json'): Uint8Array {
  const filter = createKeysFilter(keys, { status: 400, type });
  return filter ? Buffer.concat([filter.write(Buffer.from(bytes)), filter.end()]) : bytes;
}

/** Filters a body piece by piece. */
export async function* filterBody(
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

/** Whether the text contains the key in any of its forms. */
export function containsKey(text: string, key: string): boolean {
  if (text.includes(key)) return true;
  if (!findKeyForms(key, true)?.mayOccurIn(text)) return false;
  return !Buffer.from(text).equals(hideKeys(Buffer.from(text), [key], 'text/plain'));
}

/** Hides several keys, one filter after the other. */
class FilterChain implements KeyFilter {
  readonly #filters: readonly KeyFilter[];

  constructor(filters: readonly KeyFilter[]) {
    this.#filters = filters;
  }

  write(bytes: Uint8Array): Uint8Array {
    return this.#filters.reduce((rest, filter) => filter.write(rest), bytes);
  }

  end(): Uint8Array {
    return this.#filters.reduce<Uint8Array>(
      (rest, filter) => Buffer.concat([filter.write(rest), filter.end()]),
      Buffer.alloc(0),
    );
  }
}

/** Hides a short key in its plain form only. */
class PlainFilter implements KeyFilter {
  readonly #key: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(key: string) {
    this.#key = Buffer.from(key);
  }

  write(piece: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#held, piece]);
    const key = this.#key;
    for (let index = bytes.indexOf(key); index >= 0; index = bytes.indexOf(key, index + key.length))
      bytes.fill(maskByte, index, index + key.length);
    const end = this.#findSafeEnd(bytes);
    this.#held = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  end(): Uint8Array {
    return this.#held;
  }

  /** Finds the end of the bytes that cannot be the beginning of the key. */
  #findSafeEnd(bytes: Buffer): number {
    const longest = Math.min(bytes.length, this.#key.length - 1);
    for (let length = longest; length > 0; length -= 1) {
      if (bytes.subarray(-length).equals(this.#key.subarray(0, length))) return bytes.length - length;
    }
    return bytes.length;
  }
}
