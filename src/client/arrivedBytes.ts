/** A piece of a reply's body, as received from the network. */
export interface ArrivedPiece {
  /** From the call to its arrival, in milliseconds. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** The recorded parts of a received body. A body that is too long to record whole has an `end`. */
export interface ArrivedParts {
  /** The beginning of the body, in order. */
  readonly beginning: readonly ArrivedPiece[];
  /** The number of dropped bytes between the beginning and the end. */
  readonly omittedBytes: number;
  /** The end of the body; empty if `beginning` is the whole body. */
  readonly end: readonly ArrivedPiece[];
}

const maxBeginningBytes = 256 * 1024;
const maxEndBytes = 64 * 1024;
/** The size of the first block. Most replies are shorter. */
const firstBlockBytes = 2 * 1024;
/** The size of the other blocks. Allocating larger or smaller ones takes more time. */
const blockBytes = 128 * 1024;
/** The maximum number of pieces of the beginning, and of the end, because a body may arrive byte by byte. */
const maxPieces = 16_000;

/**
 * Stores the beginning and the end of a body with the times of its pieces. Bytes are copied, because a piece would
 * keep the whole buffer of its socket in memory.
 */
export class ArrivedBytes {
  readonly #blocks: Block[] = [];
  #beginningBytes = 0;
  #pieceCount = 0;
  #omittedBytes = 0;
  #end: ArrivedPiece[] = [];
  /** The number of dropped pieces of `#end` that are still in the array. */
  #droppedPieces = 0;
  #endBytes = 0;

  add(bytes: Uint8Array, atMs: number): void {
    const room = maxBeginningBytes - this.#beginningBytes;
    if (room >= bytes.length) this.#addToBeginning(bytes, atMs);
    else {
      if (room > 0) this.#addToBeginning(bytes.subarray(0, room), atMs);
      this.#addToEnd(bytes.subarray(room), atMs);
    }
  }

  /** The length of the recorded parts. */
  get recordedBytes(): number {
    return this.#beginningBytes + this.#endBytes;
  }

  /** Releases unused memory. Call it after the last piece. */
  trim(): void {
    this.#blocks.at(-1)?.trim();
  }

  get parts(): ArrivedParts {
    return {
      beginning: this.#blocks.flatMap((block) => block.pieces),
      omittedBytes: this.#omittedBytes,
      end: this.#end.slice(this.#droppedPieces),
    };
  }

  #addToBeginning(bytes: Uint8Array, atMs: number): void {
    if (bytes.length === 0) return;
    const last = this.#blocks.at(-1);
    const block = last && last.room >= bytes.length ? last : this.#openBlock(bytes.length);
    block.add(bytes, atMs, this.#pieceCount++ >= maxPieces);
    this.#beginningBytes += bytes.length;
  }

  #openBlock(length: number): Block {
    const isFirst = this.#blocks.length === 0;
    const block = new Block(
      Math.max(length, isFirst && length <= firstBlockBytes ? firstBlockBytes : blockBytes),
    );
    this.#blocks.push(block);
    return block;
  }

  #addToEnd(bytes: Uint8Array, atMs: number): void {
    const last = bytes.slice(Math.max(0, bytes.length - maxEndBytes));
    this.#omittedBytes += bytes.length - last.length;
    this.#end.push({ atMs, bytes: last });
    this.#endBytes += last.length;
    while (this.#endBytes > maxEndBytes || this.#end.length - this.#droppedPieces > maxPieces)
      this.#dropOldest();
    // Remove dropped pieces rarely, so that the array is not copied for each of them.
    if (this.#droppedPieces > 1024 && this.#droppedPieces * 2 > this.#end.length) {
      this.#end = this.#end.slice(this.#droppedPieces);
      this.#droppedPieces = 0;
    }
  }

  #dropOldest(): void {
    const length = this.#end[this.#droppedPieces]?.bytes.length ?? 0;
    this.#droppedPieces++;
    this.#endBytes -= length;
    this.#omittedBytes += length;
  }
}

/** Memory for consecutive pieces. */
class Block {
  #bytes: Uint8Array;
  #usedBytes = 0;
  readonly #times: number[] = [];
  /** The position in the block after each piece. */
  readonly #ends: number[] = [];

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
  }

  get room(): number {
    return this.#bytes.length - this.#usedBytes;
  }

  trim(): void {
    if (this.#usedBytes * 2 < this.#bytes.length) this.#bytes = this.#bytes.slice(0, this.#usedBytes);
  }

  get pieces(): readonly ArrivedPiece[] {
    return this.#ends.map((end, index) => ({
      atMs: this.#times[index] ?? 0,
      bytes: this.#bytes.subarray(this.#ends[index - 1] ?? 0, end),
    }));
  }

  /** @param isMerged whether the bytes are added to the last piece, if there is one */
  add(bytes: Uint8Array, atMs: number, isMerged: boolean): void {
    this.#bytes.set(bytes, this.#usedBytes);
    this.#usedBytes += bytes.length;
    if (isMerged && this.#ends.length > 0) this.#ends[this.#ends.length - 1] = this.#usedBytes;
    else {
      this.#times.push(atMs);
      this.#ends.push(this.#usedBytes);
    }
  }
}
