import { deepJsonText, isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import { PartialArguments } from './arguments.ts';

interface OpenCall {
  readonly index: number;
  readonly id: string | undefined;
  readonly args: PartialArguments;
}

/**
 * Reads the function calls of one candidate. A call arrives whole, with its arguments as an object, unless it
 * says that it continues: then the arguments arrive value by value, and are reported once they are complete.
 */
export class FunctionCalls {
  #count = 0;
  #open: OpenCall | undefined;

  get count(): number {
    return this.#count;
  }

  read(call: JsonObject, signature: string | undefined, choice: number, events: ChatEvent[]): void {
    const pieces = call.partialArgs ?? call.partial_args;
    const continues = call.willContinue === true || call.will_continue === true;
    if (!this.#continues(call)) {
      this.end(choice, events);
      this.#begin(call, signature, continues || Array.isArray(pieces), choice, events);
    } else if (signature !== undefined && this.#open) {
      events.push({ type: 'toolCall', choice, index: this.#open.index, signature });
    }
    if (Array.isArray(pieces)) for (const piece of pieces) if (isObject(piece)) this.#open?.args.add(piece);
    if (!continues) this.end(choice, events);
  }

  /** Reports the arguments of the open call, if there is one. */
  end(choice: number, events: ChatEvent[]): void {
    if (!this.#open) return;
    const { index, args } = this.#open;
    this.#open = undefined;
    events.push({ type: 'toolCall', choice, index, arguments: args.text });
  }

  /** A further piece of the open call has no name, or has its id. Another id begins another call. */
  #continues(call: JsonObject): boolean {
    if (!this.#open) return false;
    const id = nonEmptyString(call.id);
    return id === undefined ? nonEmptyString(call.name) === undefined : id === this.#open.id;
  }

  #begin(
    call: JsonObject,
    signature: string | undefined,
    open: boolean,
    choice: number,
    events: ChatEvent[],
  ): void {
    const index = this.#count++;
    const id = nonEmptyString(call.id);
    const name = nonEmptyString(call.name);
    if (open) this.#open = { index, id, args: new PartialArguments() };
    events.push({
      type: 'toolCall',
      choice,
      index,
      ...(id && { id }),
      ...(name && { name }),
      ...(!open && { arguments: argumentsText(call.args) }),
      ...(signature && { signature }),
    });
  }
}

/** Arguments are an object; relays of other formats send its JSON text. */
function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : deepJsonText(isObject(args) ? args : {});
}
