import type { ChatEvent } from '../../../../wire/chatEvent.ts';
import type { ToolNames } from '../toolNames.ts';
import { Calls, type ReadCall } from './calls.ts';

export type FileEvent = Extract<ChatEvent, { type: 'media' | 'mediaLink' }>;

/** Receives the content of one reply as it comes. */
export interface ReplySink {
  text(text: string): void;
  reasoning(text: string): void;
  file(file: FileEvent): void;
}

/** Reads the first choice of one reply: words as they come, calls once all of them are whole. */
export class ReplyReader {
  readonly #sink: ReplySink;
  readonly #calls = new Calls();
  readonly #texts = new WholeCharacters();
  readonly #thoughts = new WholeCharacters();
  /** What one batch brought, so that it is passed on at once. */
  #text = '';
  #thought = '';
  #hasSaid = false;

  constructor(sink: ReplySink) {
    this.#sink = sink;
  }

  /** Whether the model said or made something beside its reasoning and its calls. */
  get hasSaid(): boolean {
    return this.#hasSaid;
  }

  take(events: readonly ChatEvent[]): void {
    for (const event of events) if ('choice' in event && event.choice === 0) this.#read(event);
    this.#pass();
  }

  /** Passes on what was held back. Call it when nothing follows. */
  end(): void {
    this.#tell(this.#thoughts.rest(), this.#texts.rest());
  }

  calls(names: ToolNames): readonly ReadCall[] {
    return this.#calls.read(names);
  }

  #read(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#text += event.text;
        this.#hasSaid ||= event.text.trim() !== '';
        break;
      case 'reasoning':
        if (this.#text !== '') this.#pass();
        this.#thought += event.text;
        break;
      case 'toolCall':
        this.#calls.add(event);
        break;
      case 'media':
      case 'mediaLink':
        this.#pass();
        this.#hasSaid = true;
        this.#sink.file(event);
    }
  }

  #pass(): void {
    this.#tell(this.#thoughts.next(this.#thought), this.#texts.next(this.#text));
    this.#thought = '';
    this.#text = '';
  }

  #tell(thought: string, text: string): void {
    if (thought !== '') this.#sink.reasoning(thought);
    if (text !== '') this.#sink.text(text);
  }
}

/** Joins pieces of a text so that none ends within a character of two UTF-16 units. */
class WholeCharacters {
  #held = '';

  /** The text so far, without the first half of a character at its end. */
  next(piece: string): string {
    const text = this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? text.slice(-1) : '';
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** What was held back, when nothing follows. */
  rest(): string {
    const rest = this.#held.toWellFormed();
    this.#held = '';
    return rest;
  }
}
