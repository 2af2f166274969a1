import { codeOfByte, gramLength } from './keyForms.ts';

/** The number of characters that a trail remembers; a power of two above the longest window. */
export const trailLength = 32;

/** The last letters and digits of one text, and the number of them that may belong to a key. */
export class Trail {
  readonly codes: number[] = [];
  /** The position of each character in the reply, and the number of bytes that spell it. */
  readonly starts: number[] = [];
  readonly lengths: number[] = [];
  count = 0;
  gram = 0;
  /** The number of consecutive grams that may belong to a key. */
  run = 0;
  /** Whether the last window matched the key. */
  isHidden = false;

  /** @param original the trail whose text this one continues */
  constructor(original?: Trail) {
    if (original)
      Object.assign(this, {
        ...original,
        codes: [...original.codes],
        starts: [...original.starts],
        lengths: [...original.lengths],
      });
  }

  clear(): void {
    this.count = 0;
    this.gram = 0;
    this.run = 0;
    this.isHidden = false;
  }

  /** Skips characters that do not belong to a key. The last ones may be the beginning of a key. */
  skipTo(count: number, gram: number, bytes: Uint8Array, end: number, base: number): void {
    let index = end - 1;
    for (let nth = count - 1; nth >= Math.max(this.count, count - gramLength + 1); nth -= 1, index -= 1) {
      while ((codeOfByte[bytes[index] ?? 0] ?? 0) === 0) index -= 1;
      const slot = nth & (trailLength - 1);
      this.codes[slot] = codeOfByte[bytes[index] ?? 0] ?? 0;
      this.starts[slot] = base + index;
      this.lengths[slot] = 1;
    }
    this.count = count;
    this.gram = gram;
    this.run = 0;
    this.isHidden = false;
  }

  /** Finds the position of the characters that may become part of a key: at least the last `minLength` characters. */
  findSuspectStart(minLength: number): number {
    const suspectLength = this.run > 0 ? this.run + gramLength - 1 : minLength;
    const distance = Math.min(suspectLength, this.count, trailLength - 1);
    return distance === 0
      ? Number.POSITIVE_INFINITY
      : (this.starts[(this.count - distance) & (trailLength - 1)] ?? 0);
  }

  /** Returns the last letters, in lower case, and digits. */
  readLast(count: number): string {
    let text = '';
    for (let nth = this.count - count; nth < this.count; nth += 1)
      text += '0123456789abcdefghijklmnopqrstuvwxyz'[(this.codes[nth & (trailLength - 1)] ?? 1) - 1] ?? '';
    return text;
  }
}
