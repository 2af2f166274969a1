import type { ChatEvent } from '../../wire/chatEvent.ts';
import type { ContinuationForm } from '../../wire/continuationRequest.ts';
import { findOpenFence } from './codeBlocks.ts';

/** The length of the end of a reply that is checked for repetition, in UTF-16 units. */
const tailLength = 400;

/**
 * Joins a reply to the reply that it continues: drops text that repeats the end of the earlier reply. The first
 * text is buffered until it is known whether it repeats that end.
 *
 * After a prefix, only white space is repeated, because some formats do not allow it at the end. After an
 * instruction, models repeat the last line or word from its beginning, or open the code block again.
 */
export class ContinuationJoin {
  readonly #tail: string;
  readonly #fence: string | undefined;
  readonly #form: ContinuationForm;
  #bufferedText = '';
  #isUndecided = true;

  /** @param before the text of the reply that is continued */
  constructor(before: string, form: ContinuationForm) {
    this.#form = form;
    const repeatable = form === 'prefix' ? before.slice(before.trimEnd().length) : before;
    this.#tail = repeatable.slice(-tailLength);
    const fence = form === 'prefix' ? undefined : findOpenFence(before);
    this.#fence = fence && fence.length <= tailLength ? fence : undefined;
  }

  /** Returns the events without repeated text. */
  join(events: readonly ChatEvent[]): readonly ChatEvent[] {
    return this.#isUndecided ? events.flatMap((event) => this.#joinEvent(event)) : events;
  }

  /** Returns the buffered text without repetition, and ends the buffering. Also called at the end of the reply. */
  end(): readonly ChatEvent[] {
    if (!this.#isUndecided) return [];
    this.#isUndecided = false;
    const remainingText = this.#removeRepeatedFence() ?? this.#bufferedText;
    const text = remainingText.slice(this.#measureRepetition(remainingText));
    return text === '' ? [] : [{ type: 'text', choice: 0, text }];
  }

  #joinEvent(event: ChatEvent): readonly ChatEvent[] {
    if (!this.#isUndecided || !('choice' in event) || event.choice !== 0) return [event];
    if (event.type === 'reasoning') return [event];
    if (event.type !== 'text') return [...this.end(), event];
    this.#bufferedText += event.text;
    return this.#mayStillRepeat() ? [] : this.end();
  }

  /** Whether more text could still show that the buffered text is a repetition. */
  #mayStillRepeat(): boolean {
    const remainingText = this.#removeRepeatedFence();
    if (remainingText === undefined) return true;
    for (let length = remainingText.length; length <= this.#tail.length; length += 1) {
      if (this.#tail.slice(-length).startsWith(remainingText) && length > 0) return true;
    }
    return false;
  }

  /**
   * Returns the buffered text without a line that opens the open code block again; undefined while this line may
   * be incomplete.
   */
  #removeRepeatedFence(): string | undefined {
    if (this.#fence === undefined) return this.#bufferedText;
    const line = `${this.#fence}\n`;
    if (this.#bufferedText.startsWith(line)) return this.#bufferedText.slice(line.length);
    return this.#bufferedText.length < line.length && line.startsWith(this.#bufferedText)
      ? undefined
      : this.#bufferedText;
  }

  /** Measures the repetition at the start of a text. */
  #measureRepetition(text: string): number {
    for (let length = Math.min(text.length, this.#tail.length); length > 0; length -= 1) {
      if (this.#tail.endsWith(text.slice(0, length)) && this.#isRepetition(text, length)) return length;
    }
    return 0;
  }

  /** Short texts repeat by chance. A repetition is long, or starts at the beginning of a line or word. */
  #isRepetition(text: string, length: number): boolean {
    if (this.#form === 'prefix') return true;
    const repeated = text.slice(0, length);
    const letters = new Set(repeated.match(/[\p{L}\p{N}]/gu));
    if (length >= 20 && letters.size >= 6) return true;
    const previousCharacter = this.#tail.at(-length - 1) ?? '\n';
    if (previousCharacter === '\n') return length >= 3 && letters.size > 0;
    const isWord = /^[\p{L}\p{N}]{4,}$/u.test(repeated) && !/[\p{L}\p{N}]/u.test(previousCharacter);
    return isWord && /^[\p{L}\p{N}]/u.test(text.slice(length));
  }
}
