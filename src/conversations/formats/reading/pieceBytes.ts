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
