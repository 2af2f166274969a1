import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { OfferedToolNames } from '../toolNames.ts';
import { CallAssembler, type ReadCall } from './callAssembler.ts';

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
  readonly #texts = new CharacterJoiner();
  readonly #thoughts = new CharacterJoiner();
  /** The text and reasoning of the current batch of events, which are sent together. */
  #text = '';
  #thought = '';
  #hasContent = false;

  constructor(sink: ReplyContentSink) {
    this.#sink = sink;
  }

  /** Whether the reply has any content besides reasoning and calls. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  take(events: readonly ChatEvent[]): void {
    for (const event of events) if ('choice' in event && event.choice === 0) this.#read(event);
    this.#sendBatch();
  }

  /** Sends the held-back text. Call it after the last event. */
  end(): void {
    this.#send(this.#thoughts.rest(), this.#texts.rest());
  }

  calls(names: OfferedToolNames): readonly ReadCall[] {
    return this.#calls.read(names);
  }

  #read(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#text += event.text;
        this.#hasContent ||= event.text.trim() !== '';
        break;
      case 'reasoning':
        if (this.#text !== '') this.#sendBatch();
        this.#thought += event.text;
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
    this.#send(this.#thoughts.next(this.#thought), this.#texts.next(this.#text));
    this.#thought = '';
    this.#text = '';
  }

  #send(thought: string, text: string): void {
    if (thought !== '') this.#sink.reasoning(thought);
    if (text !== '') this.#sink.text(text);
  }
}

/** Joins pieces of a text so that no piece ends within a character of two UTF-16 units. */
class CharacterJoiner {
  #held = '';

  /** The text so far, without the first half of a character at its end. */
  next(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? text.slice(-1) : '';
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** The held-back half character, once no more text follows. */
  rest(): string {
    const rest = this.#held.toWellFormed();
    this.#held = '';
    return rest;
  }
}
