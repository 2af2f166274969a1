import type { JoinedPieces } from './rawContent.ts';

/** A text, and when the last of it came: from the call, in milliseconds. */
export interface TimedText {
  readonly atMs: number;
  readonly text: string;
}

/** The whole text; nothing where nothing came. */
export function decodedText({ bytes, ends, atMs }: JoinedPieces): readonly TimedText[] {
  return ends.length === 0 ? [] : [{ atMs: atMs.at(-1) ?? 0, text: new TextDecoder().decode(bytes) }];
}

const betweenEvents = /(?:\r\n){2,}|\n{2,}|\r{2,}/g;

/** The events of a stream as they were written, without the empty lines between them. Takes linear time. */
export function timedEvents({ bytes, ends: byteEnds, atMs }: JoinedPieces): readonly TimedText[] {
  const decoder = new TextDecoder();
  const ends: number[] = [];
  let text = '';
  let from = 0;
  for (const end of byteEnds) {
    text += decoder.decode(bytes.subarray(from, end), { stream: true });
    ends.push(text.length);
    from = end;
  }
  text += decoder.decode();
  let piece = 0;
  const timeAt = (end: number) => {
    while (piece < ends.length - 1 && (ends[piece] ?? 0) < end) piece++;
    return atMs[piece] ?? 0;
  };
  const events: TimedText[] = [];
  from = 0;
  for (const { index, 0: gap } of text.matchAll(betweenEvents)) {
    if (index > from) events.push({ atMs: timeAt(index), text: text.slice(from, index) });
    from = index + gap.length;
  }
  if (from < text.length) events.push({ atMs: timeAt(text.length), text: text.slice(from) });
  return events;
}
