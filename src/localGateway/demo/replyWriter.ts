import type { ReplyChoice, ReplyFacts, StreamWriter } from '../../wire/apis/shared/replyForm.ts';
import type { ChatEvent, Usage } from '../../wire/chatEvent.ts';
import { type Finish, type Section, type SectionStep, Sections } from '../../wire/stream/sections.ts';
import type { DemoRequest } from './demoRequest.ts';
import type { DemoToolCall } from './demoToolCalls.ts';
import type { Picture } from './drawPicture.ts';
import { countReplyTokens, createSignature, type Draft } from './replyDraft.ts';

/** The content of a reply, which does not depend on the API format. */
export interface DemoReply {
  /** A random text for the IDs of the format. */
  readonly id: string;
  readonly createdAt: Date;
  /** The ID of the request. */
  readonly requestId: string;
  readonly model: string;
  /** One for each choice; formats without choices have one. */
  readonly drafts: readonly [Draft, ...Draft[]];
  readonly promptTokens: number;
}

interface NumberedCall extends DemoToolCall {
  /** The position in the choice, from 0. */
  readonly position: number;
}

/** A token, a whole picture, or the end of a choice. A call begins with an empty token. */
type DemoPiece =
  | { readonly type: 'reasoning' | 'content'; readonly choice: number; readonly text: string }
  | { readonly type: 'picture'; readonly choice: number; readonly picture: Picture }
  | { readonly type: 'call'; readonly choice: number; readonly call: NumberedCall; readonly text: string }
  | { readonly type: 'end'; readonly choice: number; readonly draft: Draft };

interface OutputTokens {
  readonly reasoning: number;
  readonly content: number;
}

function countOutputTokens({ drafts }: DemoReply): OutputTokens {
  return {
    reasoning: drafts.reduce((sum, { reasoning }) => sum + reasoning.length, 0),
    content: drafts.reduce((sum, draft) => sum + countReplyTokens(draft), 0),
  };
}

/** Creates the ID of a call, short enough for every client. */
function createCallId({ id }: DemoReply, { position }: NumberedCall, choice = 0): string {
  return `call_${id.slice(0, 8)}_${choice}_${position}`;
}

/** Yields all tokens of a reply, from each choice in turn. The last piece of each choice is its end. */
export function* yieldPieces({ drafts }: DemoReply): Generator<DemoPiece> {
  let busy = drafts.map(yieldChoicePieces);
  while (busy.length > 0) {
    const unfinishedChoices: typeof busy = [];
    for (const choice of busy) {
      const next = choice.next();
      if (next.done) continue;
      yield next.value;
      unfinishedChoices.push(choice);
    }
    busy = unfinishedChoices;
  }
}

function* yieldChoicePieces(draft: Draft, choice: number): Generator<DemoPiece> {
  for (const text of draft.reasoning) yield { type: 'reasoning', choice, text };
  for (const text of draft.content) yield { type: 'content', choice, text };
  if (draft.picture) yield { type: 'picture', choice, picture: draft.picture };
  for (const call of numberCalls(draft)) {
    for (const text of ['', ...call.arguments]) yield { type: 'call', choice, call, text };
  }
  yield { type: 'end', choice, draft };
}

function numberCalls({ calls }: Draft): readonly NumberedCall[] {
  return calls.map((call, position) => ({ ...call, position }));
}

/** Writes the body of a reply that is not streamed. */
export function writeUnstreamedReply(reply: DemoReply, { replies, idPrefix, isSigned }: DemoRequest): object {
  return replies.writeBody(
    createFacts(reply, idPrefix, countOutputTokens(reply)),
    createChoices(reply, isSigned),
  );
}

/** Writes a streamed reply. The functions are called in this order, and each returns whole events. */
export interface PieceWriter extends Pick<StreamWriter, 'contentType' | 'open' | 'fail'> {
  piece(piece: DemoPiece): string;
  ending(): string;
}

export function createPieceWriter(
  reply: DemoReply,
  { replies, idPrefix, isSigned }: DemoRequest,
): PieceWriter {
  const writtenTokens = { reasoning: 0, content: 0 };
  const writer = replies.createWriter(createFacts(reply, idPrefix, writtenTokens), reply.drafts.length);
  const reader = new DraftReader(reply, isSigned);
  return {
    contentType: writer.contentType,
    open: () => writer.open(),
    piece(piece) {
      countPiece(piece, writtenTokens);
      const steps = reader.read(piece);
      return steps.map((step) => writer.writeStep(step, piece.choice)).join('');
    },
    ending: () => writer.end(reply.drafts.map(createFinish)),
    fail: (error) => writer.fail(error),
  };
}

/** Converts the pieces of a reply to the steps that formats write. */
class DraftReader {
  readonly #reply: DemoReply;
  readonly #isSigned: boolean;
  readonly #choices: readonly Sections[];
  /** The number of reasoning tokens so far, by choice. The last token of a choice has the signature. */
  readonly #reasoningTokens: number[];

  constructor(reply: DemoReply, isSigned: boolean) {
    this.#reply = reply;
    this.#isSigned = isSigned;
    // The fallback for IDs of calls is not used, because the demo sets all IDs.
    this.#choices = reply.drafts.map(() => new Sections(String, true));
    this.#reasoningTokens = reply.drafts.map(() => 0);
  }

  read(piece: DemoPiece): readonly SectionStep[] {
    const sections = this.#choices[piece.choice];
    if (piece.type === 'end') return sections?.end() ?? [];
    return sections?.read(this.#createEvent(piece)) ?? [];
  }

  #createEvent(piece: Exclude<DemoPiece, { type: 'end' }>): ChatEvent {
    const { choice } = piece;
    switch (piece.type) {
      case 'reasoning':
        return { type: 'reasoning', choice, text: piece.text, ...this.#sign(choice) };
      case 'content':
        return { type: 'text', choice, text: piece.text };
      case 'picture':
        return { type: 'media', choice, mimeType: piece.picture.mimeType, data: piece.picture.data };
      case 'call': {
        const { position: index, name } = piece.call;
        if (piece.text !== '') return { type: 'toolCall', choice, index, arguments: piece.text };
        return { type: 'toolCall', choice, index, id: createCallId(this.#reply, piece.call, choice), name };
      }
    }
  }

  #sign(choice: number): { readonly signature?: string } {
    const thought = (this.#reasoningTokens[choice] ?? 0) + 1;
    this.#reasoningTokens[choice] = thought;
    const draft = this.#reply.drafts[choice];
    const isLast = thought === draft?.reasoning.length;
    return this.#isSigned && draft && isLast ? { signature: createSignature(draft) } : {};
  }
}

function createChoices(reply: DemoReply, isSigned: boolean): readonly [ReplyChoice, ...ReplyChoice[]] {
  const reader = new DraftReader(reply, isSigned);
  const sections = reply.drafts.map((): Section[] => []);
  for (const piece of yieldPieces(reply)) {
    const steps = reader.read(piece).filter(({ type }) => type === 'close');
    sections[piece.choice]?.push(...steps.map(({ section }) => section));
  }
  const [first, ...others] = reply.drafts;
  return [
    { sections: sections[0] ?? [], finish: createFinish(first) },
    ...others.map((draft, nth) => ({ sections: sections[nth + 1] ?? [], finish: createFinish(draft) })),
  ];
}

function createFinish({ finish, stopped }: Draft): Finish {
  return { reason: finish, ...(stopped !== undefined && { stopSequence: stopped }) };
}

function createFacts(reply: DemoReply, prefix: string, writtenTokens: OutputTokens): ReplyFacts {
  const { id, model, createdAt, requestId } = reply;
  return {
    id: `${prefix}${id}`,
    model,
    createdAt,
    requestId,
    usage: () => createUsage(reply, writtenTokens),
  };
}

function createUsage({ promptTokens }: DemoReply, { reasoning, content }: OutputTokens): Usage {
  return {
    inputTokens: promptTokens,
    outputTokens: reasoning + content,
    totalTokens: promptTokens + reasoning + content,
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
}

function countPiece(piece: DemoPiece, writtenTokens: { reasoning: number; content: number }): void {
  if (piece.type === 'reasoning' || piece.type === 'content') writtenTokens[piece.type] += 1;
  else if (piece.type === 'call' && piece.text === '') writtenTokens.content += piece.call.arguments.length;
}
