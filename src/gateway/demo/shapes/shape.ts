import type { HttpError } from '../../httpError.ts';
import type { Draft } from '../draft.ts';
import type { Prompt } from '../prompt.ts';

/** A request as its shape is understood and answered: the one thing a demo model does not do in neutral words. */
export interface DemoShape {
  readonly prompt: Prompt;
  readonly streamed: boolean;
  /** The body of a reply that is sent at once. */
  whole(reply: Reply): object;
  stream(reply: Reply): StreamWriter;
}

/** Everything a reply says, before it is brought into a shape. */
export interface Reply {
  /** A fresh random word, for the ids that shapes want. */
  readonly id: string;
  readonly createdAt: Date;
  /** Of the request it answers. */
  readonly requestId: string;
  readonly model: string;
  /** One for each choice; shapes without choices have one. */
  readonly drafts: readonly [Draft, ...Draft[]];
  readonly promptTokens: number;
}

/** Writes one streamed reply, each text being whole events; in the order of its methods. */
export interface StreamWriter {
  readonly contentType: string;
  opening(): string;
  piece(piece: Piece): string;
  ending(): string;
  /** In place of what is left. */
  brokenOff(error: HttpError): string;
}

/** A token of a draft, or its end. */
export type Piece =
  | { readonly type: 'reasoning' | 'content'; readonly choice: number; readonly text: string }
  | { readonly type: 'end'; readonly choice: number; readonly draft: Draft };

/** Output of a reply in tokens. */
export interface OutputTokens {
  readonly reasoning: number;
  readonly content: number;
}

export function outputTokens({ drafts }: Reply): OutputTokens {
  const sum = (part: 'reasoning' | 'content') =>
    drafts.reduce((total, draft) => total + draft[part].length, 0);
  return { reasoning: sum('reasoning'), content: sum('content') };
}

/** All tokens, the choices taking turns, each choice followed by its end. */
export function* pieces({ drafts }: Reply): Generator<Piece> {
  let busy = drafts.map(choicePieces);
  while (busy.length > 0) {
    const still: typeof busy = [];
    for (const writer of busy) {
      const next = writer.next();
      if (next.done) continue;
      yield next.value;
      still.push(writer);
    }
    busy = still;
  }
}

function* choicePieces(draft: Draft, choice: number): Generator<Piece> {
  for (const text of draft.reasoning) yield { type: 'reasoning', choice, text };
  for (const text of draft.content) yield { type: 'content', choice, text };
  yield { type: 'end', choice, draft };
}

/** One stretch of a reply that is all reasoning or all answer, counted from 0. */
export interface Section {
  readonly kind: 'reasoning' | 'content';
  readonly index: number;
}

/** How a shape begins, fills and ends a section. */
export interface SectionWriter {
  start(section: Section): string;
  add(section: Section, text: string): string;
  stop(section: Section): string;
}

/** Writes the pieces of a single choice where the shape divides it into sections, one open at a time. */
export function inSections(writer: SectionWriter): (piece: Piece) => string {
  let open: Section | undefined;
  return (piece) => {
    if (piece.type !== 'end' && piece.type === open?.kind) return writer.add(open, piece.text);
    const stop = open ? writer.stop(open) : '';
    if (piece.type === 'end') return stop;
    open = { kind: piece.type, index: open ? open.index + 1 : 0 };
    return stop + writer.start(open) + writer.add(open, piece.text);
  };
}
