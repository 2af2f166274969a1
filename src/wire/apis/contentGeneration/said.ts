import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { FunctionCalls } from './calls.ts';

type Part = Record<string, unknown>;

/** Records the parts of the first candidate. Text goes on in the part before as long as nothing is signed. */
export class ContentGenerationSaid implements SaidRecorder {
  readonly #parts: Part[] = [];
  readonly #calls = new FunctionCalls();
  readonly #callParts: Part[] = [];

  read({ candidates }: JsonObject): void {
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (!isObject(candidate) || (candidate.index ?? 0) !== 0) continue;
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      for (const part of Array.isArray(parts) ? parts : []) if (isObject(part)) this.#add(part);
    }
  }

  /** A summary of thoughts alone is nothing that the provider wants back. */
  get reasoning(): SaidReasoning | undefined {
    return this.#parts.some((part) => part.thoughtSignature ?? part.thought_signature) ? 'signed' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const left = new Set(this.#callParts.filter((_, nth) => ids[nth] === undefined));
    return this.#parts.filter((part) => !left.has(part));
  }

  #add(part: JsonObject): void {
    if (isObject(part.functionCall ?? part.function_call)) {
      this.#addCall(part);
      return;
    }
    const last = this.#parts.at(-1);
    if (last && isUnsignedText(last) && isUnsignedText(part) && last.thought === part.thought) {
      last.text = `${last.text}${part.text}`;
    } else if (!isEmpty(part)) this.#parts.push(structuredClone(part) as Part);
  }

  /** A call may arrive in pieces, which are put together. */
  #addCall({ functionCall, function_call, ...beside }: JsonObject): void {
    const call = functionCall ?? function_call;
    if (!isObject(call)) return;
    const events: ChatEvent[] = [];
    const signature = nonEmptyString(beside.thoughtSignature ?? beside.thought_signature);
    this.#calls.read(call, signature, 0, events);
    for (const event of events) {
      if (event.type !== 'toolCall') continue;
      const known = this.#callParts[event.index];
      if (!known) this.#open(call, beside, event.arguments);
      else if (event.arguments !== undefined) complete(known, event.arguments);
    }
  }

  #open({ args: _, ...call }: JsonObject, beside: JsonObject, args: string | undefined): void {
    const { partialArgs: _pieces, partial_args: _others, ...named } = call;
    const { willContinue: _goesOn, will_continue: _on, ...plain } = named;
    const part = { ...structuredClone(beside), functionCall: { ...structuredClone(plain), args: {} } };
    this.#callParts.push(part);
    this.#parts.push(part);
    if (args !== undefined) complete(part, args);
  }
}

function complete(part: Part, args: string): void {
  const call = isObject(part.functionCall) ? part.functionCall : {};
  part.functionCall = { ...call, args: parseExactJson(args) };
}

function isUnsignedText(part: JsonObject): boolean {
  return (
    typeof part.text === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought')
  );
}

/** Providers refuse a part with empty text, unless it is signed. */
function isEmpty(part: JsonObject): boolean {
  return part.text === '' && isUnsignedText(part);
}
