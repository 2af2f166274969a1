import type { ForeignResult } from '../../../wire/message.ts';

/** The names of the tools called so far, since most formats write the id of the call alone with a result. */
export class ToolCallNames {
  readonly #names = new Map<string, string>();

  note(id: string, name: string): void {
    this.#names.set(id, name);
  }

  result(id: string, content: Pick<ForeignResult, 'text' | 'pictures' | 'failed'>): ForeignResult {
    return { type: 'toolResult', id, name: this.#names.get(id) ?? '', ...content };
  }
}

/** The calls of a tool that no result answered yet: those behind `answered`. */
interface WaitingCalls {
  readonly ids: string[];
  answered: number;
}

/**
 * The ids of tool calls in a format where they may have none: then the results follow in the order of the calls
 * of the same name.
 */
export class TurnCalls {
  readonly #waiting = new Map<string, WaitingCalls>();
  #count = 0;

  /** @returns the id of a call */
  call(id: string | undefined, name: string): string {
    const given = id || `call_${this.#count}`;
    this.#count++;
    if (id) return given;
    const waiting = this.#waiting.get(name);
    if (waiting) waiting.ids.push(given);
    else this.#waiting.set(name, { ids: [given], answered: 0 });
    return given;
  }

  /** @returns the id of the call that a result answers */
  result(id: string | undefined, name: string): string {
    if (id) return id;
    const waiting = this.#waiting.get(name);
    return waiting?.ids[waiting.answered++] ?? `call_of_${name}`;
  }
}
