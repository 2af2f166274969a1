import { isObject, type JsonObject, parseExactJson } from '../../../../base/json.ts';
import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { OfferedToolNames } from '../toolNames.ts';

export type FileEvent = Extract<ChatEvent, { type: 'media' | 'mediaLink' }>;

/** Receives the content of one reply as it arrives. */
export interface ReplyContentSink {
  text(text: string): void;
  reasoning(text: string): void;
  file(file: FileEvent): void;
}

/** Reads the first choice of one reply. Sends text to the sink as it arrives; calls can be read at the end. */
export class ReplyReader {
  readonly #sink: ReplyContentSink;
  readonly #calls = new CallAssembler();
  readonly #textJoiner = new CharacterJoiner();
  readonly #reasoningJoiner = new CharacterJoiner();
  /** The text and reasoning of the current batch of events, which are sent together. */
  #text = '';
  #reasoning = '';
  #hasContent = false;

  constructor(sink: ReplyContentSink) {
    this.#sink = sink;
  }

  /** Whether the reply has any content besides reasoning and calls. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  read(events: readonly ChatEvent[]): void {
    for (const event of events) if ('choice' in event && event.choice === 0) this.#readEvent(event);
    this.#sendBatch();
  }

  /** Sends the held-back text. Call it after the last event. */
  end(): void {
    this.#send(this.#reasoningJoiner.remainder(), this.#textJoiner.remainder());
  }

  /** The calls of the reply. Call it after the last event. */
  calls(names: OfferedToolNames): readonly AssembledCall[] {
    return this.#calls.read(names);
  }

  #readEvent(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#text += event.text;
        this.#hasContent ||= event.text.trim() !== '';
        break;
      case 'reasoning':
        if (this.#text !== '') this.#sendBatch();
        this.#reasoning += event.text;
        break;
      case 'toolCall':
        this.#calls.add(event);
        break;
      case 'media':
      case 'mediaLink':
        this.#sendBatch();
        this.#hasContent = true;
        this.#sink.file(event);
    }
  }

  #sendBatch(): void {
    this.#send(this.#reasoningJoiner.next(this.#reasoning), this.#textJoiner.next(this.#text));
    this.#reasoning = '';
    this.#text = '';
  }

  #send(reasoning: string, text: string): void {
    if (reasoning !== '') this.#sink.reasoning(reasoning);
    if (text !== '') this.#sink.text(text);
  }
}

/** Joins pieces of a text so that no piece ends within a character of two UTF-16 units. */
class CharacterJoiner {
  #held = '';

  /** Returns the held-back half of a character and the piece, and holds back a new half at its end. */
  next(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? text.slice(-1) : '';
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** Returns the held-back half of a character. Call it after the last piece. */
  remainder(): string {
    const remainder = this.#held.toWellFormed();
    this.#held = '';
    return remainder;
  }
}

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
        outcome: checkCall(calledName, text, isAmbiguous, names),
      }),
    );
  }
}

function checkCall(
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
