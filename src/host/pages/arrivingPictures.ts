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
  readonly #arriving = new Map<string, Buffer[]>();

  constructor(maxBytes: number, maxAtOnce: number) {
    this.#maxBytes = maxBytes;
    this.#maxAtOnce = maxAtOnce;
  }

  /** @returns the bytes once the last piece came; of one that grew too large only the rest, which is no picture */
  receive({ id, data, last }: PicturePiece): Buffer | undefined {
    const pieces = [...(this.#arriving.get(id) ?? []), Buffer.from(data, 'base64')];
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (!last && size <= this.#maxBytes && this.#arriving.size < this.#maxAtOnce)
      this.#arriving.set(id, pieces);
    else this.#arriving.delete(id);
    return last ? Buffer.concat(pieces) : undefined;
  }
}
