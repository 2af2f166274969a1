/** The new text of a file. `isPart` means that the code is only a part of the file, at an unknown position. */
type ProposedText = { readonly text: string } | { readonly isPart: true };

/** Lines of a file that were sent with the question. */
export interface SentLines {
  readonly text: string;
  /** The number of the first line, from 1. */
  readonly firstLine: number;
}

/** The fraction of a file's lines that the code must contain to count as the whole file. */
const minSharedFraction = 0.5;

/** The maximum length of a line that replaces omitted code, in UTF-16 units. Longer lines count as code. */
const maxOmissionLength = 300;

/** Matches a trimmed line that replaces omitted code, but not a spread such as `...rest,`. */
const omission =
  /^(?:(?:\/\/|\/\*|#|--|<!--|;|%)\s*(?:\.\.\.|…)|…|\.\.\.(?![\w$#([{"'`]))|\b(?:existing|unchanged|rest of)\b.*\b(?:code|file|same)\b/i;

/**
 * Applies a code block to a file: the code replaces the sent lines, otherwise the whole file if it looks complete.
 * Other positions are not guessed. All texts have `\n` as their line ends.
 *
 * @param sentLines undefined if the file was not sent, or was sent as a whole
 */
export function proposeText(original: string, code: string, sentLines?: SentLines): ProposedText {
  if (sentLines) {
    const start = findOffset(original, sentLines);
    if (start === undefined || hasOmission(code)) return { isPart: true };
    return { text: replacePart(original, start, start + sentLines.text.length, code) };
  }
  return looksComplete(original, code) ? { text: endWithLineBreak(code) } : { isPart: true };
}

/** Replaces a part of a text with code. Preserves a line break at the end of the part. */
export function replacePart(original: string, start: number, end: number, code: string): string {
  const isLine = original.slice(start, end).endsWith('\n') || (start === end && code.endsWith('\n'));
  const text = isLine ? endWithLineBreak(code) : code.replace(/\n$/, '');
  return original.slice(0, start) + text + original.slice(end);
}

/** Finds the current offset of the lines: their earlier offset, or the only other offset with the same text. */
function findOffset(original: string, { text, firstLine }: SentLines): number | undefined {
  const lines = original.split(/(?<=\n)/);
  const earlierOffset = lines.slice(0, firstLine - 1).join('').length;
  if (original.startsWith(text, earlierOffset)) return earlierOffset;
  const [index, another] = text.trim() === '' ? [] : findPositions(text.split(/(?<=\n)/), lines);
  return index === undefined || another !== undefined ? undefined : lines.slice(0, index).join('').length;
}

/**
 * Finds the indexes at which a part occurs in a list of lines. The last line of the part may be only the start of a
 * line. Uses the algorithm of Knuth, Morris and Pratt, which takes linear time even if all lines are equal.
 */
function findPositions(part: readonly string[], lines: readonly string[]): readonly number[] {
  const completeLines = part.slice(0, -1);
  const last = part.at(-1) ?? '';
  const fallbackLengths: number[] = [];
  for (let index = 1, length = 0; index < completeLines.length; index += 1) {
    while (length > 0 && completeLines[index] !== completeLines[length])
      length = fallbackLengths[length - 1] ?? 0;
    if (completeLines[index] === completeLines[length]) length += 1;
    fallbackLengths[index] = length;
  }
  const positions: number[] = [];
  for (let index = 0, length = 0; index < lines.length; index += 1) {
    if (length === completeLines.length) {
      if (lines[index]?.startsWith(last)) positions.push(index - length);
      length = fallbackLengths[length - 1] ?? 0;
    }
    while (length > 0 && lines[index] !== completeLines[length]) length = fallbackLengths[length - 1] ?? 0;
    if (length < completeLines.length && lines[index] === completeLines[length]) length += 1;
  }
  return positions;
}

/** Whether the code is probably the whole file: it contains enough of the file's lines. */
function looksComplete(original: string, code: string): boolean {
  if (hasOmission(code)) return false;
  const originalLines = splitNonEmptyLines(original);
  if (originalLines.length === 0) return true;
  const unmatched = new Map<string, number>();
  for (const line of splitNonEmptyLines(code)) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
  let sharedLines = 0;
  for (const line of originalLines) {
    const count = unmatched.get(line) ?? 0;
    if (count > 0) sharedLines += 1;
    unmatched.set(line, count - 1);
  }
  return sharedLines / originalLines.length >= minSharedFraction;
}

/** Whether the code contains a placeholder for omitted lines. */
function hasOmission(code: string): boolean {
  return splitNonEmptyLines(code).some((line) => line.length <= maxOmissionLength && omission.test(line));
}

function splitNonEmptyLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function endWithLineBreak(code: string): string {
  return code.endsWith('\n') ? code : `${code}\n`;
}
