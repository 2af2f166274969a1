/** A piece of a reply's body, as received from the network. */
export interface ArrivedPiece {
  /** From the call to its arrival, in milliseconds. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** The recorded parts of a received body. */
export interface Arrived {
  /** The beginning of the body, in order. */
  readonly beginning: readonly ArrivedPiece[];
  /** The number of dropped bytes between the beginning and the end. */
  readonly omittedBytes: number;
  /** The end of the body, if it was longer than `beginning`. */
  readonly end: readonly ArrivedPiece[];
}

const maxBeginningBytes = 256 * 1024;
const maxEndBytes = 64 * 1024;
/** Most replies are shorter. A longer one gets all memory at once, because growing in steps copies it repeatedly. */
const firstBytes = 2 * 1024;
/** Further pieces are merged into the last one, because a body of single bytes has as many pieces as bytes. */
const maxPieces = 16 * 1024;

/**
 * Stores the beginning and the end of a body with the times of its pieces. Bytes are copied, because a piece would
 * keep the whole buffer of its socket in memory.
 */
export class ArrivedBytes {
  #beginning = new Uint8Array(0);
  #length = 0;
  readonly #times: number[] = [];
  readonly #ends: number[] = [];
  #omittedBytes = 0;
  #end: ArrivedPiece[] = [];
  /** The number of dropped pieces of `#end` that are still in the array. */
  #dropped = 0;
  #endLength = 0;

  add(bytes: Uint8Array, atMs: number): void {
    const room = maxBeginningBytes - this.#length;
    if (room >= bytes.length) this.#addToBeginning(bytes, atMs);
    else {
      if (room > 0) this.#addToBeginning(bytes.subarray(0, room), atMs);
      this.#addToEnd(bytes.subarray(room), atMs);
    }
  }

  get parts(): Arrived {
    const isMostlyUsed = this.#length * 2 > this.#beginning.length;
    const stored = isMostlyUsed ? this.#beginning : this.#beginning.slice(0, this.#length);
    let from = 0;
    const beginning = this.#ends.map((end, nth) => {
      const bytes = stored.subarray(from, end);
      from = end;
      return { atMs: this.#times[nth] ?? 0, bytes };
    });
    return { beginning, omittedBytes: this.#omittedBytes, end: this.#end.slice(this.#dropped) };
  }

  #addToBeginning(bytes: Uint8Array, atMs: number): void {
    if (bytes.length === 0) return;
    const length = this.#length + bytes.length;
    if (length > this.#beginning.length) this.#grow(length);
    this.#beginning.set(bytes, this.#length);
    this.#length = length;
    if (this.#ends.length < maxPieces) {
      this.#times.push(atMs);
      this.#ends.push(length);
    } else this.#ends[maxPieces - 1] = length;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(length > firstBytes ? maxBeginningBytes : firstBytes);
    grown.set(this.#beginning.subarray(0, this.#length));
    this.#beginning = grown;
  }

  #addToEnd(bytes: Uint8Array, atMs: number): void {
    const last = bytes.slice(Math.max(0, bytes.length - maxEndBytes));
    this.#omittedBytes += bytes.length - last.length;
    this.#end.push({ atMs, bytes: last });
    this.#endLength += last.length;
    while (this.#endLength > maxEndBytes || this.#end.length - this.#dropped > maxPieces) this.#dropOldest();
    // Remove dropped pieces rarely, so that the array is not copied for each of them.
    if (this.#dropped > 1024 && this.#dropped * 2 > this.#end.length) {
      this.#end = this.#end.slice(this.#dropped);
      this.#dropped = 0;
    }
  }

  #dropOldest(): void {
    const length = this.#end[this.#dropped]?.bytes.length ?? 0;
    this.#dropped++;
    this.#endLength -= length;
    this.#omittedBytes += length;
  }
}
