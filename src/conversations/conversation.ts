import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../client/gatewayClient.ts';
import type { TextFormatId } from '../wire/apis/textFormats.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';
import type { Message, MessagePart } from '../wire/message.ts';
import { GrowingReply, type Image, type Reply } from './reply.ts';

/** What is asked, of whom, and how. */
export interface Question {
  readonly text: string;
  readonly images: readonly Image[];
  readonly model: string;
  readonly format: TextFormatId;
  /** Fields of the request beyond the conversation, as the format names them. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What the history of a question depends on. */
type Prompt = Omit<Question, 'parameters'>;

/** One question and what the model replied so far. */
export interface Turn {
  readonly id: string;
  /** The turn this one follows on; asking again makes a sibling with the same parent. */
  readonly parentId: string | undefined;
  readonly question: Question;
  /** One for each choice that was asked for, the first of which is the one that counts for what follows. */
  readonly replies: readonly Reply[];
  /** What the format could not carry of the conversation, in plain words. */
  readonly omitted: readonly string[];
  /** Absent while the reply is still coming. */
  readonly result: ChatResult | undefined;
  /** When it was asked, in milliseconds of a clock that nobody sets (`performance.now()`). */
  readonly askedAt: number;
}

interface GrowingTurn extends Turn {
  readonly replies: GrowingReply[];
}

/** What is sent of a conversation, in no shape's form yet, and in plain words what is not. */
export interface History {
  readonly messages: readonly Message[];
  readonly omitted: readonly string[];
}

/** More choices than this are not kept, whatever a gateway sends. */
export const maxChoices = 128;

/**
 * What was asked and replied, in the order it happened. Knows nothing of shapes, sockets and pages. The
 * replies of a turn grow in place while they arrive.
 */
export class Conversation {
  readonly #turns = new Map<string, GrowingTurn>();
  #last: GrowingTurn | undefined;

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

  /** Asks the question of an earlier turn once more, as if that turn had not been there. */
  askAgain(id: string, how: Pick<Question, 'model' | 'format' | 'parameters'>): Turn | undefined {
    const earlier = this.#turns.get(id);
    return earlier && this.#add(earlier.parentId, { ...earlier.question, ...how });
  }

  /** Takes in what the model said. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    for (const event of events) {
      if (!('choice' in event) || event.choice >= maxChoices) continue;
      while (turn.replies.length <= event.choice) turn.replies.push(new GrowingReply());
      turn.replies[event.choice]?.appendEvent(event);
    }
  }

  /** Notes what the request of a turn could not carry. */
  noteOmitted(id: string, omitted: readonly string[]): void {
    this.#change(id, { omitted });
  }

  finish(id: string, result: ChatResult): void {
    this.#change(id, { result });
  }

  /** What is sent for a turn: the history that leads to it, its question last. */
  historyFor(id: string): History {
    const turn = this.#turns.get(id);
    return turn ? this.#history(turn.parentId, turn.question) : { messages: [], omitted: [] };
  }

  /** What would be sent for a question asked now. */
  historyForNext(question: Prompt): History {
    return this.#history(this.last?.id, question);
  }

  clear(): void {
    this.#turns.clear();
    this.#last = undefined;
  }

  /** Turns that brought no reply are left out: a failure is not to become a question without an answer. */
  #history(parentId: string | undefined, question: Prompt): History {
    const newestFirst: Message[] = [userMessage(question)];
    const omitted = new Set<string>();
    for (let turn = this.#at(parentId); turn; turn = this.#at(turn.parentId)) {
      const parts = turn.replies[0]?.parts ?? [];
      if (!parts.some((part) => part.type === 'text' && part.text !== '')) continue;
      const reply = replayableParts(parts, turn.question, question, omitted);
      newestFirst.push({ role: 'assistant', parts: reply }, userMessage(turn.question));
    }
    return { messages: newestFirst.reverse(), omitted: [...omitted] };
  }

  #at(id: string | undefined): Turn | undefined {
    return id === undefined ? undefined : this.#turns.get(id);
  }

  #change(id: string, change: Partial<Turn>): void {
    const turn = this.#turns.get(id);
    if (turn) this.#keep({ ...turn, ...change, replies: turn.replies });
  }

  #keep(turn: GrowingTurn): void {
    this.#turns.set(turn.id, turn);
    if (this.#last?.id === turn.id) this.#last = turn;
  }

  #add(parentId: string | undefined, question: Question): Turn {
    const turn: GrowingTurn = {
      id: randomUUID(),
      parentId,
      question,
      replies: [new GrowingReply()],
      omitted: [],
      result: undefined,
      askedAt: performance.now(),
    };
    this.#last = turn;
    this.#keep(turn);
    return turn;
  }
}

function userMessage({ text, images }: Prompt): Message {
  return { role: 'user', parts: [...images, { type: 'text', text }] };
}

/**
 * What of a reply is sent back with the next question; `omitted` takes what the rest is. A call that nobody
 * answered would make the provider refuse it, and so would reasoning signed by another model or format.
 */
function replayableParts(
  parts: readonly MessagePart[],
  earlier: Prompt,
  next: Prompt,
  omitted: Set<string>,
): readonly MessagePart[] {
  const isOther = earlier.model !== next.model || earlier.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add('a tool call that nobody answered');
    else if (type === 'reasoning' && isOther) omitted.add('the reasoning of another model or style');
    else return true;
    return false;
  });
}
