const filterBits = 18;
const filterMask = (1 << filterBits) - 1;

/** Finds pieces of text of one length in a longer text, at little more than the cost of reading it. */
export class Pieces {
  readonly length: number;
  readonly #pieces = new Set<string>();
  /** A bit for each beginning of a piece, which excludes most positions. */
  readonly #filter = new Uint8Array((filterMask + 1) >> 3);

  /** @param length at least 4 characters */
  constructor(length: number) {
    this.length = length;
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /** Adds all pieces of a text. */
  addFrom(text: string): void {
    for (let at = 0; at + this.length <= text.length; at++) {
      const piece = text.slice(at, at + this.length);
      const hash = hashOf(...codesOf(piece));
      this.#pieces.add(piece);
      this.#filter[hash >> 3] = (this.#filter[hash >> 3] ?? 0) | (1 << (hash & 7));
    }
  }

  /** Whether a piece begins at a position. */
  standAt(codes: Uint16Array, at: number): boolean {
    const hash = hashOf(codes[at] ?? 0, codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0);
    if (((this.#filter[hash >> 3] ?? 0) & (1 << (hash & 7))) === 0) return false;
    return this.#pieces.has(String.fromCharCode(...codes.subarray(at, at + this.length)));
  }
}

function codesOf(piece: string): [number, number, number, number] {
  return [piece.charCodeAt(0), piece.charCodeAt(1), piece.charCodeAt(2), piece.charCodeAt(3)];
}

function hashOf(first: number, second: number, third: number, fourth: number): number {
  return ((first << 13) ^ (second << 9) ^ (third << 5) ^ fourth) & filterMask;
}
