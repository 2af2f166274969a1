import type { ChatEvent } from '../wire/chatEvent.ts';
import type { ContinuationForm } from '../wire/continuation.ts';
import { openFence } from './conversation/codeBlocks.ts';

/** How much of the end of a reply may come again, in UTF-16 units. */
const tailLength = 400;

/**
 * Joins a reply to the one that it goes on with: drops what it repeats of that one's end. It holds back the first
 * text until that is clear.
 *
 * After a prefix, only white space comes again, which some formats may not send at the end. Asked by an instruction,
 * models begin the last line or word anew, or open the code block again.
 */
export class Seam {
  readonly #tail: string;
  readonly #fence: string | undefined;
  readonly #form: ContinuationForm;
  #held = '';
  #isOpen = true;

  /** @param before the text of the reply that is gone on with */
  constructor(before: string, form: ContinuationForm) {
    this.#form = form;
    const repeatable = form === 'prefix' ? before.slice(before.trimEnd().length) : before;
    this.#tail = repeatable.slice(-tailLength);
    const fence = form === 'prefix' ? undefined : openFence(before);
    this.#fence = fence && fence.length <= tailLength ? fence : undefined;
  }

  /** The events as they go on with the earlier reply. */
  join(events: readonly ChatEvent[]): readonly ChatEvent[] {
    return this.#isOpen ? events.flatMap((event) => this.#joined(event)) : events;
  }

  /** What is still held back at the end of the reply. */
  end(): readonly ChatEvent[] {
    return this.#close();
  }

  #joined(event: ChatEvent): readonly ChatEvent[] {
    if (!this.#isOpen || !('choice' in event) || event.choice !== 0) return [event];
    if (event.type === 'reasoning') return [event];
    if (event.type !== 'text') return [...this.#close(), event];
    this.#held += event.text;
    return this.#mayGoOn() ? [] : this.#close();
  }

  /** Whether more text could still show that what is held back was there already. */
  #mayGoOn(): boolean {
    const rest = this.#afterFence();
    if (rest === undefined) return true;
    for (let length = rest.length; length <= this.#tail.length; length += 1) {
      if (this.#tail.slice(-length).startsWith(rest) && length > 0) return true;
    }
    return false;
  }

  #close(): readonly ChatEvent[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    const rest = this.#afterFence() ?? this.#held;
    const text = rest.slice(this.#repeated(rest));
    return text === '' ? [] : [{ type: 'text', choice: 0, text }];
  }

  /** What is held back without a line that opens the open code block again; undefined while it may be one. */
  #afterFence(): string | undefined {
    if (this.#fence === undefined) return this.#held;
    const line = `${this.#fence}\n`;
    if (this.#held.startsWith(line)) return this.#held.slice(line.length);
    return this.#held.length < line.length && line.startsWith(this.#held) ? undefined : this.#held;
  }

  /** How much of a text repeats the end. */
  #repeated(text: string): number {
    for (let length = Math.min(text.length, this.#tail.length); length > 0; length -= 1) {
      if (this.#tail.endsWith(text.slice(0, length)) && this.#isRepetition(text, length)) return length;
    }
    return 0;
  }

  /** Short texts come twice by chance: what counts is a line or a word from its beginning, or a long text. */
  #isRepetition(text: string, length: number): boolean {
    if (this.#form === 'prefix') return true;
    const repeated = text.slice(0, length);
    const words = new Set(repeated.match(/[\p{L}\p{N}]/gu));
    if (length >= 20 && words.size >= 6) return true;
    const before = this.#tail.at(-length - 1) ?? '\n';
    if (before === '\n') return length >= 3 && words.size > 0;
    const isWord = /^[\p{L}\p{N}]{4,}$/u.test(repeated) && !/[\p{L}\p{N}]/u.test(before);
    return isWord && /^[\p{L}\p{N}]/u.test(text.slice(length));
  }
}
