import { randomUUID } from 'node:crypto';
import type { ChatResult } from '../client/gatewayClient.ts';
import type { ChatEvent } from '../wire/chatEvent.ts';

export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
  /** JSON text as the model wrote it, which need not be valid. */
  readonly arguments: string;
}

/** One question and what the model replied so far. */
export interface Turn {
  readonly id: string;
  /** The turn this one follows on; asking again makes a sibling with the same parent. */
  readonly parentId: string | undefined;
  readonly question: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** Absent while the reply is still coming. */
  readonly result: ChatResult | undefined;
}

/** A message of the history, as every text shape can carry it. */
export type Message = {
  readonly role: 'user' | 'assistant';
  readonly content: string;
};

/**
 * What was asked and replied, in the order it happened. Knows nothing of shapes, sockets and pages. Turns
 * are values: a changed turn is a new object under the same id.
 */
export class Conversation {
  readonly #turns = new Map<string, Turn>();

  get turns(): readonly Turn[] {
    return [...this.#turns.values()];
  }

  turn(id: string): Turn | undefined {
    return this.#turns.get(id);
  }

  get last(): Turn | undefined {
    return this.turns.at(-1);
  }

  /** Adds a question after the last turn. */
  ask(question: string, model: string): Turn {
    return this.#add({ parentId: this.last?.id, question, model });
  }

  /** Asks the question of an earlier turn once more, as if that turn had not been there. */
  askAgain(id: string, model: string): Turn | undefined {
    const earlier = this.#turns.get(id);
    return earlier && this.#add({ parentId: earlier.parentId, question: earlier.question, model });
  }

  /** Takes in what the model said; only the first choice of a reply is kept. */
  apply(id: string, events: readonly ChatEvent[]): void {
    const turn = this.#turns.get(id);
    if (turn === undefined) return;
    let { text, reasoning } = turn;
    let toolCalls = turn.toolCalls;
    for (const event of events) {
      if (!('choice' in event) || event.choice !== 0) continue;
      if (event.type === 'text' || event.type === 'refusal') text += event.text;
      else if (event.type === 'reasoning') reasoning += event.text;
      else if (event.type === 'toolCall') toolCalls = withFragment(toolCalls, event);
    }
    this.#turns.set(id, { ...turn, text, reasoning, toolCalls });
  }

  finish(id: string, result: ChatResult): void {
    const turn = this.#turns.get(id);
    if (turn) this.#turns.set(id, { ...turn, result });
  }

  /**
   * The history that leads to a turn, its question last. Turns that brought no reply are left out, so that
   * a failure does not become a question without an answer.
   */
  messagesFor(id: string): readonly Message[] {
    const turn = this.#turns.get(id);
    if (turn === undefined) return [];
    const messages: Message[] = [{ role: 'user', content: turn.question }];
    for (let each = this.#parent(turn); each; each = this.#parent(each)) {
      if (each.text === '') continue;
      messages.unshift({ role: 'user', content: each.question }, { role: 'assistant', content: each.text });
    }
    return messages;
  }

  clear(): void {
    this.#turns.clear();
  }

  #parent(turn: Turn): Turn | undefined {
    return turn.parentId === undefined ? undefined : this.#turns.get(turn.parentId);
  }

  #add(start: Pick<Turn, 'parentId' | 'question' | 'model'>): Turn {
    const turn: Turn = {
      id: randomUUID(),
      ...start,
      text: '',
      reasoning: '',
      toolCalls: [],
      result: undefined,
    };
    this.#turns.set(turn.id, turn);
    return turn;
  }
}

function withFragment(
  calls: readonly ToolCall[],
  fragment: Extract<ChatEvent, { type: 'toolCall' }>,
): readonly ToolCall[] {
  const grown = [...calls];
  while (grown.length <= fragment.index) grown.push({ id: undefined, name: '', arguments: '' });
  grown[fragment.index] = joined(grown[fragment.index], fragment);
  return grown;
}

function joined(
  call: ToolCall | undefined,
  fragment: { readonly id?: string; readonly name?: string; readonly arguments?: string },
): ToolCall {
  return {
    id: fragment.id ?? call?.id,
    name: fragment.name ?? call?.name ?? '',
    arguments: (call?.arguments ?? '') + (fragment.arguments ?? ''),
  };
}
