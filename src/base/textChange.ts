/** The difference between two texts: `text` replaces the range from `start` to `end`, in UTF-16 units. */
interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The smallest change between two texts that does not split a character; undefined if the texts are equal. */
export function findTextChange(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start -= 1;
  let sameLength = 0;
  while (
    sameLength < shorter - start &&
    before.charCodeAt(before.length - 1 - sameLength) === after.charCodeAt(after.length - 1 - sameLength)
  )
    sameLength += 1;
  if (sameLength > 0 && isLowSurrogate(before.charCodeAt(before.length - sameLength))) sameLength -= 1;
  return { start, end: before.length - sameLength, text: after.slice(start, after.length - sameLength) };
}

/** @throws {RangeError} if the text has no such range */
export function applyChange(before: string, { start, end, text }: TextChange): string {
  if (start > end || end > before.length)
    throw new RangeError('The range of the change is outside the text.');
  return before.slice(0, start) + text + before.slice(end);
}

/** Splits a change into consecutive changes, each with at most `max` units, without splitting characters. */
export function splitChange({ start, end, text }: TextChange, max: number): readonly TextChange[] {
  const pieces: TextChange[] = [];
  let offset = 0;
  do {
    const cut = offset + max;
    const next = cut < text.length && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
    const position = start + offset;
    pieces.push({ start: position, end: offset === 0 ? end : position, text: text.slice(offset, next) });
    offset = next;
  } while (offset < text.length);
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
