import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../client/types.ts';
import type { TextFormatId } from '../wire/apis/textFormats.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import type { Message, MessagePart } from '../wire/message.ts';
import { Omissions } from '../wire/omissions.ts';
import { type Image, type Reply, ReplyBuilder } from './reply.ts';

/** A question with its model, format and parameters. */
export interface Question {
  readonly text: string;
  readonly images: readonly Image[];
  readonly model: string;
  readonly format: TextFormatId;
  /** Fields of the request besides the conversation, in the format's own names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What the history of a question depends on. */
type Prompt = Omit<Question, 'parameters'>;

/** One question with its reply so far. */
export interface Turn {
  readonly id: string;
  /** The turn before this one. Asking again makes another turn with the same parent. */
  readonly parentId: string | undefined;
  readonly question: Question;
  /** One reply for each choice. Only the first one goes into later requests. */
  readonly replies: readonly Reply[];
  /** What the format could not carry of the conversation. */
  readonly omitted: readonly Explanation[];
  /** Absent while the reply arrives. */
  readonly result: ChatResult | undefined;
  /** When it was asked, in milliseconds of a monotonic clock (`performance.now()`). */
  readonly askedAt: number;
}

interface OpenTurn extends Turn {
  readonly replies: ReplyBuilder[];
}

/** The messages for a request, independent of formats, and what they leave out. */
export interface History {
  readonly messages: readonly Message[];
  readonly omitted: readonly Explanation[];
}

/** The most choices that are kept of one reply. */
export const maxChoices = 128;

/**
 * The turns of a chat in order. Independent of formats, sockets and pages. The replies of a turn grow in
 * place while they arrive.
 */
export class Conversation {
  readonly #turns = new Map<string, OpenTurn>();
  #last: OpenTurn | undefined;

  get turns(): readonly Turn[] {
    return [...this.#turns.values()];
  }

  turn(id: string): Turn | undefined {
    return this.#turns.get(id);
  }

  get last(): Turn | undefined {
    return this.#last;
  }

  /** Adds a question after the last turn. */
  ask(question: Question): Turn {
    return this.#add(this.last?.id, question);
  }

  /**
   * Asks the question of an earlier turn again, in place of that turn.
   *
   * @returns undefined when there is no such turn
   */
  askAgain(id: string, how: Pick<Question, 'model' | 'format' | 'parameters'>): Turn | undefined {
    const earlier = this.#turns.get(id);
    return earlier && this.#add(earlier.parentId, { ...earlier.question, ...how });
  }

  /** Appends what the model said to the replies of a turn. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    for (const event of events) {
      if (!('choice' in event) || event.choice >= maxChoices) continue;
      while (turn.replies.length <= event.choice) turn.replies.push(new ReplyBuilder());
      turn.replies[event.choice]?.appendEvent(event);
    }
  }

  /** Records what the request of a turn could not carry. */
  noteOmitted(id: string, omitted: readonly Explanation[]): void {
    this.#change(id, { omitted });
  }

  finish(id: string, result: ChatResult): void {
    this.#change(id, { result });
  }

  /** The messages for a turn's request, its question last. */
  historyFor(id: string): History {
    const turn = this.#turns.get(id);
    return turn ? this.#history(turn.parentId, turn.question) : { messages: [], omitted: [] };
  }

  /** The messages for a question that would be asked now. */
  historyForNext(question: Prompt): History {
    return this.#history(this.last?.id, question);
  }

  clear(): void {
    this.#turns.clear();
    this.#last = undefined;
  }

  /** Leaves out turns without a reply: a failed turn would become a question without an answer. */
  #history(parentId: string | undefined, question: Prompt): History {
    const newestFirst: Message[] = [userMessage(question)];
    const omitted = new Omissions();
    for (let turn = this.#at(parentId); turn; turn = this.#at(turn.parentId)) {
      const parts = turn.replies[0]?.parts ?? [];
      if (!parts.some((part) => part.type === 'text' && part.text !== '')) continue;
      const reply = replayableParts(parts, turn.question, question, omitted);
      newestFirst.push({ role: 'assistant', parts: reply }, userMessage(turn.question));
    }
    return { messages: newestFirst.reverse(), omitted: omitted.all };
  }

  #at(id: string | undefined): Turn | undefined {
    return id === undefined ? undefined : this.#turns.get(id);
  }

  #change(id: string, change: Partial<Turn>): void {
    const turn = this.#turns.get(id);
    if (turn) this.#store({ ...turn, ...change, replies: turn.replies });
  }

  #store(turn: OpenTurn): void {
    this.#turns.set(turn.id, turn);
    if (this.#last?.id === turn.id) this.#last = turn;
  }

  #add(parentId: string | undefined, question: Question): Turn {
    const turn: OpenTurn = {
      id: randomUUID(),
      parentId,
      question,
      replies: [new ReplyBuilder()],
      omitted: [],
      result: undefined,
      askedAt: performance.now(),
    };
    this.#last = turn;
    this.#store(turn);
    return turn;
  }
}

function userMessage({ text, images }: Prompt): Message {
  return { role: 'user', parts: [...images, { type: 'text', text }] };
}

/**
 * The parts of a reply that go into the next request. The others are added to `omitted`. Providers
 * refuse a call without a result, and reasoning signed by another model or format.
 */
function replayableParts(
  parts: readonly MessagePart[],
  earlier: Prompt,
  next: Prompt,
  omitted: Omissions,
): readonly MessagePart[] {
  const isOther = earlier.model !== next.model || earlier.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOther) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
