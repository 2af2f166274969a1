import type * as z from 'zod';
import type { HttpError } from '../../http/httpError.ts';
import type { ReplyFraming } from '../../upstreams/upstream.ts';
import { answerLength, type Draft } from '../draft.ts';
import type { Picture } from '../picture.ts';
import type { Prompt } from '../prompt.ts';
import type { ToolCall } from '../toolCalls.ts';

/** How the demo reads requests of one API format and writes its replies. */
export interface DemoFormat {
  readonly schema: z.ZodType<object>;
  /**
   * @param request keeps to the schema
   * @throws {HttpError} for what a demo model does not do
   */
  understand(request: object, asked: DemoQuestion): UnderstoodRequest;
}

/** What is known of a request beside its body. */
export interface DemoQuestion {
  /** The model id as the caller wrote it. */
  readonly servedModel: string;
  readonly framing?: ReplyFraming | undefined;
}

/** A request as its format reads it. */
export interface UnderstoodRequest {
  readonly prompt: Prompt;
  readonly streamed: boolean;
  /** The body of a reply that is not streamed. */
  whole(reply: Reply): object;
  stream(reply: Reply): StreamWriter;
}

export function demoFormat<Request extends object>(
  schema: z.ZodType<Request>,
  understand: (request: Request, asked: DemoQuestion) => UnderstoodRequest,
): DemoFormat {
  return { schema, understand: (request, asked) => understand(request as Request, asked) };
}

/** The content of a reply, before a format writes it. */
export interface Reply {
  /** A random word for the ids of the format. */
  readonly id: string;
  readonly createdAt: Date;
  /** The id of the request. */
  readonly requestId: string;
  readonly model: string;
  /** One for each choice; formats without choices have one. */
  readonly drafts: readonly [Draft, ...Draft[]];
  readonly promptTokens: number;
}

/** Writes one streamed reply. Its methods are called in this order, and each returns whole events. */
export interface StreamWriter {
  readonly contentType: string;
  opening(): string;
  piece(piece: Piece): string;
  ending(): string;
  /** Called in place of the rest when the reply breaks off. */
  brokenOff(error: HttpError): string;
}

/** A call with its position in the choice. */
export interface PlacedCall extends ToolCall {
  /** Counted from 0. */
  readonly position: number;
}

/** A token, a whole picture, or the end of a choice. A call begins with a token without text. */
export type Piece =
  | { readonly type: 'reasoning' | 'content'; readonly choice: number; readonly text: string }
  | { readonly type: 'picture'; readonly choice: number; readonly picture: Picture }
  | { readonly type: 'call'; readonly choice: number; readonly call: PlacedCall; readonly text: string }
  | { readonly type: 'end'; readonly choice: number; readonly draft: Draft };

/** Counts of output tokens. */
export interface OutputTokens {
  readonly reasoning: number;
  readonly content: number;
}

export function outputTokens({ drafts }: Reply): OutputTokens {
  return {
    reasoning: drafts.reduce((sum, { reasoning }) => sum + reasoning.length, 0),
    content: drafts.reduce((sum, draft) => sum + answerLength(draft), 0),
  };
}

/** Makes the id of a call, short enough for every client. */
export function callId({ id }: Reply, { position }: PlacedCall, choice = 0): string {
  return `call_${id.slice(0, 8)}_${choice}_${position}`;
}

/** All tokens of a reply. Choices take turns, and each ends with its end. */
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
  if (draft.picture) yield { type: 'picture', choice, picture: draft.picture };
  for (const call of placedCalls(draft)) {
    for (const text of ['', ...call.arguments]) yield { type: 'call', choice, call, text };
  }
  yield { type: 'end', choice, draft };
}

function placedCalls({ calls }: Draft): readonly PlacedCall[] {
  return calls.map((call, position) => ({ ...call, position }));
}
