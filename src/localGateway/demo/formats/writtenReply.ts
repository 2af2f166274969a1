import type { Choice, ReplyFacts, ReplyForm } from '../../../wire/apis/replyForm.ts';
import type { ChatEvent, Usage } from '../../../wire/chatEvent.ts';
import { type Finish, type Section, Sections, type Step } from '../../../wire/stream/sections.ts';
import { type Draft, signatureOf } from '../draft.ts';
import {
  callId,
  type OutputTokens,
  outputTokens,
  type Piece,
  pieces,
  type Reply,
  type UnderstoodRequest,
} from './demoFormat.ts';

export interface WrittenReplies {
  /** How the ids of replies begin. */
  readonly prefix: string;
  /** Whether reasoning comes with its signature; by default it does. */
  readonly signs?: boolean;
}

/** Replies in the form in which the gateway writes those of every upstream. */
export function writtenBy(
  form: ReplyForm,
  { prefix, signs = true }: WrittenReplies,
): Pick<UnderstoodRequest, 'whole' | 'stream'> {
  return {
    whole: (reply) => form.whole(factsOf(reply, prefix, outputTokens(reply)), choicesOf(reply, signs)),
    stream(reply) {
      const written = { reasoning: 0, content: 0 };
      const writer = form.stream(factsOf(reply, prefix, written), reply.drafts.length);
      const reader = new DraftReader(reply, signs);
      return {
        contentType: writer.contentType,
        opening: () => writer.opening(),
        piece(piece) {
          count(piece, written);
          const steps = reader.read(piece);
          return steps.map((step) => writer.step(step, piece.choice)).join('');
        },
        ending: () => writer.ending(reply.drafts.map(finishOf)),
        brokenOff: (error) => writer.brokenOff(error),
      };
    },
  };
}

/** What the pieces of a reply change in its choices. */
class DraftReader {
  readonly #reply: Reply;
  readonly #signs: boolean;
  readonly #choices: readonly Sections[];
  /** The tokens of reasoning that came, by choice: the signature goes with the last one. */
  readonly #thought: number[];

  constructor(reply: Reply, signs: boolean) {
    this.#reply = reply;
    this.#signs = signs;
    // The demo names all its calls.
    this.#choices = reply.drafts.map(() => new Sections(String, true));
    this.#thought = reply.drafts.map(() => 0);
  }

  read(piece: Piece): readonly Step[] {
    const sections = this.#choices[piece.choice];
    if (piece.type === 'end') return sections?.end() ?? [];
    return sections?.read(this.#eventOf(piece)) ?? [];
  }

  #eventOf(piece: Exclude<Piece, { type: 'end' }>): ChatEvent {
    const { choice } = piece;
    switch (piece.type) {
      case 'reasoning':
        return { type: 'reasoning', choice, text: piece.text, ...this.#signature(choice) };
      case 'content':
        return { type: 'text', choice, text: piece.text };
      case 'picture':
        return { type: 'media', choice, mimeType: piece.picture.mimeType, data: piece.picture.data };
      case 'call': {
        const { position: index, name } = piece.call;
        if (piece.text !== '') return { type: 'toolCall', choice, index, arguments: piece.text };
        return { type: 'toolCall', choice, index, id: callId(this.#reply, piece.call, choice), name };
      }
    }
  }

  #signature(choice: number): { readonly signature?: string } {
    const thought = (this.#thought[choice] ?? 0) + 1;
    this.#thought[choice] = thought;
    const draft = this.#reply.drafts[choice];
    const isLast = thought === draft?.reasoning.length;
    return this.#signs && draft && isLast ? { signature: signatureOf(draft) } : {};
  }
}

function choicesOf(reply: Reply, signs: boolean): readonly [Choice, ...Choice[]] {
  const reader = new DraftReader(reply, signs);
  const closed = reply.drafts.map((): Section[] => []);
  for (const piece of pieces(reply)) {
    const steps = reader.read(piece).filter(({ type }) => type === 'close');
    closed[piece.choice]?.push(...steps.map(({ section }) => section));
  }
  const [first, ...others] = reply.drafts;
  return [
    { sections: closed[0] ?? [], finish: finishOf(first) },
    ...others.map((draft, nth) => ({ sections: closed[nth + 1] ?? [], finish: finishOf(draft) })),
  ];
}

function finishOf({ finish, stopped }: Draft): Finish {
  return { reason: finish, ...(stopped !== undefined && { stopSequence: stopped }) };
}

function factsOf(reply: Reply, prefix: string, written: OutputTokens): ReplyFacts {
  const { id, model, createdAt, requestId } = reply;
  return {
    ...{ id: `${prefix}${id}`, model, createdAt, requestId },
    usage: () => usageOf(reply, written),
  };
}

function usageOf({ promptTokens }: Reply, { reasoning, content }: OutputTokens): Usage {
  return {
    inputTokens: promptTokens,
    outputTokens: reasoning + content,
    totalTokens: promptTokens + reasoning + content,
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
}

function count(piece: Piece, written: { reasoning: number; content: number }): void {
  if (piece.type === 'reasoning' || piece.type === 'content') written[piece.type] += 1;
  else if (piece.type === 'call' && piece.text === '') written.content += piece.call.arguments.length;
}
