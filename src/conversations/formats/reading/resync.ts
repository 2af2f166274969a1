const start = /^\{\s*"(?:[^"\\]|\\.){1,80}"\s*:/;
const maxSeparator = 64;

/**
 * Finds where the next value begins after one with a fault, by which nobody can tell where that one ends: where the
 * file looks like the beginning of the values before.
 */
export class Resync {
  /** How values begin: up to the colon behind their first name. */
  #start: Buffer | undefined;
  #separator: Buffer = Buffer.alloc(0);
  #isSeparatorKnown = false;
  /** The end of the chunk before, in which the beginning of a value may begin. */
  #tail: Buffer = Buffer.alloc(0);

  /** Learns how the values of the file begin. */
  learn(value: Buffer): void {
    if (this.#start) return;
    const [begin] = start.exec(value.subarray(0, 200).toString('latin1')) ?? [];
    if (begin !== undefined) this.#start = Buffer.from(begin, 'latin1');
  }

  /** Learns what stands between two values. */
  learnSeparator(bytes: Buffer): void {
    if (!this.#start || this.#isSeparatorKnown || bytes.length > maxSeparator) return;
    this.#separator = Buffer.from(bytes);
    this.#isSeparatorKnown = true;
  }

  /**
   * Looks for the next value from `from` on. A value may have begun in the chunk before.
   *
   * @returns where it begins in the chunk, and what of it came before; undefined where there is none
   */
  find(chunk: Buffer, from: number): { readonly at: number; readonly before: Buffer } | undefined {
    const begin = this.#start ?? Buffer.from('{');
    const mark = Buffer.concat([this.#start ? this.#separator : Buffer.from('\n'), begin]);
    const text = Buffer.concat([this.#tail, chunk.subarray(from)]);
    const found = text.indexOf(mark);
    if (found === -1) {
      this.#tail = Buffer.from(text.subarray(Math.max(0, text.length - mark.length + 1)));
      return undefined;
    }
    const at = found + mark.length - begin.length;
    const before = text.subarray(Math.min(at, this.#tail.length), this.#tail.length);
    const inChunk = from + Math.max(0, at - this.#tail.length);
    this.#tail = Buffer.alloc(0);
    return { at: inChunk, before: Buffer.from(before) };
  }
}
