/** A piece of a picture from a page, whose messages are limited in length. */
export interface PicturePiece {
  /** The page's own name for the picture. */
  readonly id: string;
  /** Base64 of a whole number of bytes. */
  readonly data: string;
  readonly last: boolean;
}

/** Assembles pasted and dropped pictures from their pieces. */
export class ArrivingPictures {
  readonly #maxBytes: number;
  readonly #maxAtOnce: number;
  /** Of one that is too large nothing is kept. */
  readonly #arriving = new Map<string, readonly Buffer[] | 'tooLarge'>();

  constructor(maxBytes: number, maxAtOnce: number) {
    this.#maxBytes = maxBytes;
    this.#maxAtOnce = maxAtOnce;
  }

  /** @returns the bytes once the last piece came */
  receive({ id, data, last }: PicturePiece): Buffer | 'tooLarge' | undefined {
    const pieces = this.#with(this.#arriving.get(id) ?? [], Buffer.from(data, 'base64'));
    if (!last) {
      // A page sends one after the other.
      if (this.#arriving.has(id) || this.#arriving.size < this.#maxAtOnce) this.#arriving.set(id, pieces);
      return undefined;
    }
    this.#arriving.delete(id);
    return pieces === 'tooLarge' ? pieces : Buffer.concat(pieces);
  }

  #with(pieces: readonly Buffer[] | 'tooLarge', piece: Buffer): readonly Buffer[] | 'tooLarge' {
    if (pieces === 'tooLarge') return pieces;
    const size = pieces.reduce((sum, { length }) => sum + length, piece.length);
    return size > this.#maxBytes ? 'tooLarge' : [...pieces, piece];
  }
}
