/** A value of a file, or what is there instead of one. */
export type Piece =
  /** A whole value, as far as its brackets tell; its JSON may still be wrong. */
  | (Spot & { readonly type: 'value'; readonly bytes: Buffer })
  | (Spot & { readonly type: 'too-large' })
  /** The file ended within a value, of which `bytes` are the beginning, or where another one must follow. */
  | (Spot & { readonly type: 'cut'; readonly bytes: Buffer })
  /** Something that belongs to no value; nothing more is read. */
  | (Spot & { readonly type: 'stray' });

export interface Spot {
  /** Where it begins in the file. */
  readonly byte: number;
  /** From 1; only of files that are read by lines. */
  readonly line?: number;
}

/** The bytes of one value, collected from chunks as long as they are not too many. */
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

  /** What was collected; empty where it was too much. Begins anew. */
  take(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#length = 0;
    return bytes;
  }
}
