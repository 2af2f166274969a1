import type { ArrivedPiece } from '../client/arrivedBytes.ts';

/** A text, and when the last of it came: from the call, in milliseconds. */
export interface TimedText {
  readonly atMs: number;
  readonly text: string;
}

/** The whole text; nothing where nothing came. */
export function decodedText(pieces: readonly ArrivedPiece[]): readonly TimedText[] {
  const decoder = new TextDecoder();
  const text = pieces.map(({ bytes }) => decoder.decode(bytes, { stream: true })).join('');
  return pieces.length === 0 ? [] : [{ atMs: pieces.at(-1)?.atMs ?? 0, text: text + decoder.decode() }];
}

const betweenEvents = /(?:\r\n){2,}|\n{2,}|\r{2,}/g;

/** The events of a stream as they were written, without the empty lines between them. Takes linear time. */
export function timedEvents(pieces: readonly ArrivedPiece[]): readonly TimedText[] {
  const decoder = new TextDecoder();
  const ends: number[] = [];
  let text = '';
  for (const { bytes } of pieces) {
    text += decoder.decode(bytes, { stream: true });
    ends.push(text.length);
  }
  text += decoder.decode();
  let piece = 0;
  const timeAt = (end: number) => {
    while (piece < pieces.length - 1 && (ends[piece] ?? 0) < end) piece++;
    return pieces[piece]?.atMs ?? 0;
  };
  const events: TimedText[] = [];
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(betweenEvents)) {
    if (index > from) events.push({ atMs: timeAt(index), text: text.slice(from, index) });
    from = index + gap.length;
  }
  if (from < text.length) events.push({ atMs: timeAt(text.length), text: text.slice(from) });
  return events;
}
