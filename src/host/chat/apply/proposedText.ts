/** What a block of code would make of a file. Texts have `\n` as their line ends. */
export type Proposed =
  | { readonly text: string }
  /** The code is only a part, and nobody said of what. */
  | { readonly isPart: true };

/** Lines that went along with the question which the code answers. */
export interface AnsweredLines {
  /** As they were sent. */
  readonly text: string;
  /** Of the first one, from 1. */
  readonly first: number;
}

/** How much of a file has to be in the code for it to be taken for the whole of it. */
const leastKept = 0.5;

/** A longer line is code. */
const maxElisionLength = 300;

/** A line, trimmed, by which models leave out what stays: not one that spreads a value, as `...rest,` does. */
const elision =
  /^(?:(?:\/\/|\/\*|#|--|<!--|;|%)\s*(?:\.\.\.|…)|…|\.\.\.(?![\w$#([{"'`]))|\b(?:existing|unchanged|rest of)\b.*\b(?:code|file|same)\b/i;

/**
 * What a block of code makes of a file: it takes the place of the lines that it answers, else of the whole file if
 * it looks like the whole of it. It guesses no other place.
 *
 * @param answered undefined where none of the file went along, or all of it
 */
export function proposedText(original: string, code: string, answered?: AnsweredLines): Proposed {
  if (answered) {
    const at = placeOf(original, answered);
    if (at === undefined || leavesOut(code)) return { isPart: true };
    return { text: replaced(original, at, at + answered.text.length, code) };
  }
  return looksWhole(original, code) ? { text: withEnd(code) } : { isPart: true };
}

/** Puts code in the place of a part, which keeps its line end. */
export function replaced(original: string, start: number, end: number, code: string): string {
  const isLine = original.slice(start, end).endsWith('\n') || (start === end && code.endsWith('\n'));
  const text = isLine ? withEnd(code) : code.replace(/\n$/, '');
  return original.slice(0, start) + text + original.slice(end);
}

/** Where the lines are now: where they were, or in the only place that has the same text. */
function placeOf(original: string, { text, first }: AnsweredLines): number | undefined {
  const lines = original.split(/(?<=\n)/);
  const expected = lines.slice(0, first - 1).join('').length;
  if (original.startsWith(text, expected)) return expected;
  const [at, another] = text.trim() === '' ? [] : placesOf(text.split(/(?<=\n)/), lines);
  return at === undefined || another !== undefined ? undefined : lines.slice(0, at).join('').length;
}

/**
 * Where a part stands in some lines, of which the last one of the part may be the beginning only. Compares each line a
 * few times at most, as Knuth, Morris and Pratt do: lines of data may all be alike.
 */
function placesOf(part: readonly string[], lines: readonly string[]): readonly number[] {
  const whole = part.slice(0, -1);
  const last = part.at(-1) ?? '';
  const shorter: number[] = [];
  for (let at = 1, length = 0; at < whole.length; at += 1) {
    while (length > 0 && whole[at] !== whole[length]) length = shorter[length - 1] ?? 0;
    if (whole[at] === whole[length]) length += 1;
    shorter[at] = length;
  }
  const places: number[] = [];
  for (let at = 0, length = 0; at < lines.length; at += 1) {
    if (length === whole.length) {
      if (lines[at]?.startsWith(last)) places.push(at - length);
      length = shorter[length - 1] ?? 0;
    }
    while (length > 0 && lines[at] !== whole[length]) length = shorter[length - 1] ?? 0;
    if (length < whole.length && lines[at] === whole[length]) length += 1;
  }
  return places;
}

function looksWhole(original: string, code: string): boolean {
  if (leavesOut(code)) return false;
  const there = meaningfulLines(original);
  if (there.length === 0) return true;
  const left = new Map<string, number>();
  for (const line of meaningfulLines(code)) left.set(line, (left.get(line) ?? 0) + 1);
  let kept = 0;
  for (const line of there) {
    const count = left.get(line) ?? 0;
    if (count > 0) kept += 1;
    left.set(line, count - 1);
  }
  return kept / there.length >= leastKept;
}

/** Whether a line of the code stands for lines that are not in it. */
function leavesOut(code: string): boolean {
  return meaningfulLines(code).some((line) => line.length <= maxElisionLength && elision.test(line));
}

function meaningfulLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function withEnd(code: string): string {
  return code.endsWith('\n') ? code : `${code}\n`;
}
