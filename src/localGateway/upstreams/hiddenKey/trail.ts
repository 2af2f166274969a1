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

  /** @param earlier the trail that this one continues */
  constructor(earlier?: Trail) {
    if (earlier)
      Object.assign(this, {
        ...earlier,
        codes: [...earlier.codes],
        starts: [...earlier.starts],
        lengths: [...earlier.lengths],
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

  /** The start of the characters that may become part of a key: at least the last `least` characters. */
  findSuspectStart(minLength: number): number {
    const suspectLength = this.run > 0 ? this.run + gramLength - 1 : minLength;
    const distance = Math.min(suspectLength, this.count, trailLength - 1);
    return distance === 0
      ? Number.POSITIVE_INFINITY
      : (this.starts[(this.count - distance) & (trailLength - 1)] ?? 0);
  }
}

export function trailText(trail: Trail, count: number): string {
  let text = '';
  for (let nth = trail.count - count; nth < trail.count; nth += 1)
    text += '0123456789abcdefghijklmnopqrstuvwxyz'[(trail.codes[nth & (trailLength - 1)] ?? 1) - 1] ?? '';
  return text;
}
