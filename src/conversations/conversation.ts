import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../client/types.ts';
import type { TextFormatId } from '../wire/apis/textFormats.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';
import { type Explanation, explain } from '../wire/explanations/explanation.ts';
import type { Message, MessagePart } from '../wire/message.ts';
import { Omissions } from '../wire/omissions.ts';
import { appendEvent, type Image, type Reply, ReplyBuilder } from './reply.ts';

/** A question with its model, format and parameters. */
export interface Question {
  readonly text: string;
  readonly images: readonly Image[];
  readonly model: string;
  readonly format: TextFormatId;
  /** Instructions above the conversation. Absent or empty for none. */
  readonly systemPrompt?: string;
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
  /**
   * When something of the reply last arrived, or else when it was asked, in milliseconds of a monotonic clock
   * (`performance.now()`).
   */
  readonly heardAt: number;
}

interface OpenTurn extends Turn {
  readonly replies: ReplyBuilder[];
  heardAt: number;
}

/** The messages for a request, independent of formats, and what they leave out. */
export interface History {
  readonly messages: readonly Message[];
  readonly omitted: readonly Explanation[];
}

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

  /** Whether a turn goes along with later questions: its reply has text. */
  carries(id: string): boolean {
    const turn = this.#turns.get(id);
    return turn !== undefined && hasText(turn);
  }

  /**
   * The turns that do not go along with a question that is asked now: failed ones, those that were asked again,
   * and those before a fork. A reply that still arrives is none of them.
   */
  get leftOut(): readonly Turn[] {
    const carried = new Set(this.#carriedAfter(this.#last?.id).map(({ id }) => id));
    return this.turns.filter(({ id, result }) => result !== undefined && !carried.has(id));
  }

  /** Adds a question after the last turn. */
  ask(question: Question): Turn {
    return this.#add(begun(this.#last?.id, question));
  }

  /**
   * Asks the question of an earlier turn again, in place of that turn. The earlier one is kept to read, unless
   * it is the last one and nothing of its reply arrived: then the new one takes over its id.
   *
   * @returns undefined when there is no such turn
   */
  askAgain(
    id: string,
    how: Pick<Question, 'model' | 'format' | 'systemPrompt' | 'parameters'>,
  ): Turn | undefined {
    const earlier = this.#turns.get(id);
    if (!earlier) return undefined;
    const again = begun(earlier.parentId, { ...earlier.question, ...how });
    return this.#add(earlier === this.#last && isEmpty(earlier) ? { ...again, id } : again);
  }

  /**
   * Another conversation with copies of the turns that go along with the question of a turn.
   *
   * @returns undefined when there is no such turn
   */
  forkBefore(id: string): Conversation | undefined {
    const turn = this.#turns.get(id);
    if (!turn) return undefined;
    const fork = new Conversation();
    for (const each of this.#carriedAfter(turn.parentId)) {
      fork.#add({ ...each, id: randomUUID(), parentId: fork.#last?.id });
    }
    return fork;
  }

  /** Appends what the model said to the replies of a turn. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    turn.heardAt = performance.now();
    for (const event of events) appendEvent(turn.replies, event);
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

  #history(parentId: string | undefined, question: Prompt): History {
    const omitted = new Omissions();
    const messages = this.#carriedAfter(parentId).flatMap((turn): readonly Message[] => [
      userMessage(turn.question),
      { role: 'assistant', parts: replayableParts(turn, question, omitted) },
    ]);
    return {
      messages: [...systemMessages(question), ...messages, userMessage(question)],
      omitted: omitted.all,
    };
  }

  /**
   * The turns that go along with a question after a turn, in order. Those without a reply are left out: a failed
   * turn would become a question without an answer.
   */
  #carriedAfter(id: string | undefined): readonly OpenTurn[] {
    const newestFirst: OpenTurn[] = [];
    for (let turn = this.#at(id); turn; turn = this.#at(turn.parentId)) {
      if (hasText(turn)) newestFirst.push(turn);
    }
    return newestFirst.reverse();
  }

  #at(id: string | undefined): OpenTurn | undefined {
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

  #add(turn: OpenTurn): Turn {
    this.#last = turn;
    this.#store(turn);
    return turn;
  }
}

/** Whether nothing of a turn's reply arrived. */
export function isEmpty({ replies }: Turn): boolean {
  return replies.every(({ parts, citations }) => parts.length === 0 && citations.length === 0);
}

/** Whether the first choice of a turn's reply has text. Only that choice goes into later requests. */
function hasText({ replies: [reply] }: Turn): boolean {
  return reply?.parts.some((part) => part.type === 'text' && part.text !== '') ?? false;
}

function begun(parentId: string | undefined, question: Question): OpenTurn {
  return {
    id: randomUUID(),
    parentId,
    question,
    replies: [new ReplyBuilder()],
    omitted: [],
    result: undefined,
    heardAt: performance.now(),
  };
}

function systemMessages({ systemPrompt = '' }: Prompt): readonly Message[] {
  if (systemPrompt.trim() === '') return [];
  return [{ role: 'system', parts: [{ type: 'text', text: systemPrompt }] }];
}

function userMessage({ text, images }: Prompt): Message {
  return { role: 'user', parts: [...images, { type: 'text', text }] };
}

/**
 * The parts of a reply that go into the next request. The others are added to `omitted`. Providers
 * refuse a call without a result, and reasoning signed by another model or format.
 */
function replayableParts(
  { replies: [reply], question: earlier }: Turn,
  next: Prompt,
  omitted: Omissions,
): readonly MessagePart[] {
  const parts = reply?.parts ?? [];
  const isOther = earlier.model !== next.model || earlier.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOther) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
