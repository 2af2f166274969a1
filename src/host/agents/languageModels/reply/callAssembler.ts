import { isObject, type JsonObject, parseExactJson } from '../../../../base/json.ts';
import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { OfferedToolNames } from '../toolNames.ts';

type CallEvent = Extract<ChatEvent, { type: 'toolCall' }>;

/** A tool call of a reply. */
export interface ReadCall {
  /** Position among the calls, as the format's decoder counts them. */
  readonly position: number;
  /** The provider's own id, if it sent one. */
  readonly ownId?: string;
  /** The name that the model used. */
  readonly called: string;
  readonly outcome: CallOutcome;
}

export type CallOutcome =
  | { readonly type: 'accepted'; readonly name: string; readonly input: JsonObject }
  | { readonly type: 'unknown-tool' }
  | { readonly type: 'broken-arguments' }
  /** The fragments of two calls were mixed, and the format cannot separate them. */
  | { readonly type: 'ambiguous' };

interface OpenCall {
  readonly position: number;
  ownId?: string;
  name: string;
  arguments: string;
  isAmbiguous: boolean;
}

/** Assembles the calls of one reply from their fragments. */
export class CallAssembler {
  readonly #open = new Map<number, OpenCall>();

  add({ index, id, name = '', arguments: text = '' }: CallEvent): void {
    const call = this.#open.get(index) ?? { position: index, name: '', arguments: '', isAmbiguous: false };
    this.#open.set(index, call);
    if (id !== undefined) call.ownId ??= id;
    // Some servers repeat the name in every fragment. A name after complete arguments belongs to another call.
    call.isAmbiguous ||= name !== '' && call.name !== '' && isJsonObject(call.arguments);
    if (call.name === '') call.name = name;
    call.arguments += text;
  }

  /** The calls in their order. */
  read(names: OfferedToolNames): readonly ReadCall[] {
    return [...this.#open.values()].map(
      ({ position, ownId, name: called, arguments: text, isAmbiguous }) => ({
        position,
        ...(ownId !== undefined && { ownId }),
        called,
        outcome: outcomeOf(called, text, isAmbiguous, names),
      }),
    );
  }
}

function outcomeOf(called: string, text: string, isAmbiguous: boolean, names: OfferedToolNames): CallOutcome {
  const name = names.find(called);
  if (name === undefined) return { type: 'unknown-tool' };
  const input = text.trim() === '' ? {} : parseExactJson(text);
  if (isObject(input)) return { type: 'accepted', name, input };
  return { type: isAmbiguous ? 'ambiguous' : 'broken-arguments' };
}

function isJsonObject(text: string): boolean {
  return text.endsWith('}') && isObject(parseExactJson(text));
}
