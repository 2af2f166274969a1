import { type KeyFilter, star } from './keyFilter.ts';

/** Hides a short key in its plain form only. */
export class PlainFilter implements KeyFilter {
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
