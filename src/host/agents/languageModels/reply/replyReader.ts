import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { OfferedToolNames } from '../toolNames.ts';
import { type AssembledCall, CallAssembler } from './callAssembler.ts';

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

  /** The piece after any held-back half of a character. A new half at its end is held back. */
  next(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? text.slice(-1) : '';
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** The held-back half of a character, once no more text follows. */
  remainder(): string {
    const remainder = this.#held.toWellFormed();
    this.#held = '';
    return remainder;
  }
}
