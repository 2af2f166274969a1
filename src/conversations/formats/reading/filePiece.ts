/** A value of a file, or the problem at its position. */
export type Piece =
  /** A complete value, by its brackets; its JSON may still be invalid. */
  | (FilePosition & { readonly type: 'value'; readonly bytes: Buffer })
  | (FilePosition & { readonly type: 'too-large' })
  /** The file ended within a value, whose beginning is `bytes`, or where another value must follow. */
  | (FilePosition & { readonly type: 'cut'; readonly bytes: Buffer })
  /** Bytes outside of a value; reading stops. */
  | (FilePosition & { readonly type: 'stray' });

interface FilePosition {
  /** The offset in the file. */
  readonly byte: number;
  /** From 1; only for files that are read by lines. */
  readonly line?: number;
}

/** Collects the bytes of one value from chunks, up to a limit. */
export class PieceBytes {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLarge(): boolean {
    return this.#length > this.#maxBytes;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.isTooLarge) this.#chunks = [];
    else if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Returns the collected bytes, empty if the limit was exceeded, and starts again. */
  take(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#length = 0;
    return bytes;
  }
}
