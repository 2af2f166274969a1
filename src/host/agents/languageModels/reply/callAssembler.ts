import { isObject, type JsonObject, parseExactJson } from '../../../../base/json.ts';
import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { OfferedToolNames } from '../toolNames.ts';

type CallEvent = Extract<ChatEvent, { type: 'toolCall' }>;

/** A complete tool call of a reply. */
export interface AssembledCall {
  /** The position among the calls, as the format's decoder counts them. */
  readonly position: number;
  /** The provider's own id, if it sent one. */
  readonly ownId?: string;
  /** The name that the model used. */
  readonly calledName: string;
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
  readonly #calls = new Map<number, OpenCall>();

  add({ index, id, name = '', arguments: text = '' }: CallEvent): void {
    const call = this.#calls.get(index) ?? { position: index, name: '', arguments: '', isAmbiguous: false };
    this.#calls.set(index, call);
    if (id !== undefined) call.ownId ??= id;
    // A name after complete arguments belongs to another call. Some servers repeat the name in every fragment.
    call.isAmbiguous ||= name !== '' && call.name !== '' && isJsonObject(call.arguments);
    if (call.name === '') call.name = name;
    call.arguments += text;
  }

  /** The calls of the reply in their order. Call it after the last fragment. */
  read(names: OfferedToolNames): readonly AssembledCall[] {
    return [...this.#calls.values()].map(
      ({ position, ownId, name: calledName, arguments: text, isAmbiguous }) => ({
        position,
        ...(ownId !== undefined && { ownId }),
        calledName,
        outcome: outcomeOf(calledName, text, isAmbiguous, names),
      }),
    );
  }
}

function outcomeOf(
  calledName: string,
  text: string,
  isAmbiguous: boolean,
  names: OfferedToolNames,
): CallOutcome {
  const name = names.find(calledName);
  if (name === undefined) return { type: 'unknown-tool' };
  const input = text.trim() === '' ? {} : parseExactJson(text);
  if (isObject(input)) return { type: 'accepted', name, input };
  return { type: isAmbiguous ? 'ambiguous' : 'broken-arguments' };
}

function isJsonObject(text: string): boolean {
  return text.endsWith('}') && isObject(parseExactJson(text));
}
