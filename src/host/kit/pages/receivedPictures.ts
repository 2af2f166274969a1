import { sniffMedia } from '../../../base/mediaType.ts';

/** A piece of a picture from a page. Pictures are sent in pieces, because the length of messages is limited. */
export interface PicturePiece {
  /** The page's own id of the picture. */
  readonly id: string;
  /** A whole number of bytes, as base64. */
  readonly data: string;
  readonly isLast: boolean;
}

/** Assembles pasted and dropped pictures from their pieces. */
export class ReceivedPictures {
  readonly #maxBytes: number;
  readonly #maxAtOnce: number;
  /** The pieces of incomplete pictures. No data is stored for a picture that is too large. */
  readonly #arriving = new Map<string, readonly Buffer[] | 'tooLarge'>();

  constructor(maxBytes: number, maxAtOnce: number) {
    this.#maxBytes = maxBytes;
    this.#maxAtOnce = maxAtOnce;
  }

  /** @returns the bytes of the picture after its last piece, otherwise undefined */
  receive({ id, data, isLast }: PicturePiece): Buffer | 'tooLarge' | undefined {
    const pieces = this.#append(this.#arriving.get(id) ?? [], Buffer.from(data, 'base64'));
    if (!isLast) {
      // A page sends one picture after another, so more incomplete pictures are not stored.
      if (this.#arriving.has(id) || this.#arriving.size < this.#maxAtOnce) this.#arriving.set(id, pieces);
      return undefined;
    }
    this.#arriving.delete(id);
    return pieces === 'tooLarge' ? pieces : Buffer.concat(pieces);
  }

  #append(pieces: readonly Buffer[] | 'tooLarge', piece: Buffer): readonly Buffer[] | 'tooLarge' {
    if (pieces === 'tooLarge') return pieces;
    const size = pieces.reduce((sum, { length }) => sum + length, piece.length);
    return size > this.#maxBytes ? 'tooLarge' : [...pieces, piece];
  }
}

/** File extensions of the pictures that models commonly accept. */
export const pictureExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp'];

/** Whether a file name has the extension of a picture. */
export function isPictureName(path: string): boolean {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return pictureExtensions.includes(extension);
}

/** Reads the MIME type of a picture from its bytes; undefined for a type that models do not commonly accept. */
export function readPictureType(bytes: Uint8Array): string | undefined {
  const type = sniffMedia(bytes);
  return type?.kind === 'image' && pictureExtensions.includes(type.extension) ? type.mimeType : undefined;
}
