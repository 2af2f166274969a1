import { codeOf, gramLength } from './keyForms.ts';

/** How many characters a trail remembers; a power of two above the longest window. */
export const trailLength = 32;

/** The last letters and digits of one text, and how many of them may be of a key. */
export class Trail {
  readonly codes: number[] = [];
  /** Where each begins in the reply, and how many bytes spell it. */
  readonly starts: number[] = [];
  readonly lengths: number[] = [];
  count = 0;
  gram = 0;
  /** How many grams in a row may be of a key. */
  run = 0;
  /** Whether the last window was one of the key. */
  isHidden = false;

  /** @param like an earlier one with which it goes on */
  constructor(like?: Trail) {
    if (like)
      Object.assign(this, {
        ...like,
        codes: [...like.codes],
        starts: [...like.starts],
        lengths: [...like.lengths],
      });
  }

  clear(): void {
    this.count = 0;
    this.gram = 0;
    this.run = 0;
    this.isHidden = false;
  }

  /** Goes on behind characters that are of no key. The last ones may be the beginning of one. */
  skipTo(count: number, gram: number, bytes: Uint8Array, end: number, base: number): void {
    let at = end - 1;
    for (let nth = count - 1; nth >= Math.max(this.count, count - gramLength + 1); nth -= 1, at -= 1) {
      while ((codeOf[bytes[at] ?? 0] ?? 0) === 0) at -= 1;
      const place = nth & (trailLength - 1);
      this.codes[place] = codeOf[bytes[at] ?? 0] ?? 0;
      this.starts[place] = base + at;
      this.lengths[place] = 1;
    }
    this.count = count;
    this.gram = gram;
    this.run = 0;
    this.isHidden = false;
  }

  /** Where the characters begin that may become part of a key, of which `least` may always. */
  begin(least: number): number {
    const suspicious = this.run > 0 ? this.run + gramLength - 1 : least;
    const back = Math.min(suspicious, this.count, trailLength - 1);
    return back === 0
      ? Number.POSITIVE_INFINITY
      : (this.starts[(this.count - back) & (trailLength - 1)] ?? 0);
  }
}

export function textOf(trail: Trail, count: number): string {
  let text = '';
  for (let nth = trail.count - count; nth < trail.count; nth += 1)
    text += '0123456789abcdefghijklmnopqrstuvwxyz'[(trail.codes[nth & (trailLength - 1)] ?? 1) - 1] ?? '';
  return text;
}
