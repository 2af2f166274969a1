import type { ChatEvent } from '../chatEvent.ts';

/** How a model marks reasoning in its text, if it has no other place for it. */
export type ThinkTags = (typeof thinkTagForms)[number];

/**
 * `paired`: `<think>` begins the reply, `</think>` ends the reasoning. `closing`: the reply begins with reasoning, and
 * only `</think>` is sent, because the chat template of the model contains the opening tag. `none`: tags are text.
 */
export const thinkTagForms = ['paired', 'closing', 'none'] as const;

const openingTag = '<think>';
const closingTag = '</think>';

/** The most white space before a tag. More is not held back. */
const maxLeadingSpace = 1024;

type ChoiceEvent = Extract<ChatEvent, { readonly choice: number }>;

/**
 * Turns the reasoning between tags into events of reasoning. The events do not depend on how the text was split.
 * Once a choice has text without a tag, or reasoning of its own, its events pass unchanged.
 */
export class ThinkTagSplitter {
  readonly #form: ThinkTags;
  /** By choice; null once the events of a choice pass unchanged. */
  readonly #choices: (TaggedChoice | null | undefined)[] = [];
  #hasChanges = false;

  constructor(form: ThinkTags) {
    this.#form = form;
  }

  /** Whether text became reasoning, or a tag was removed. */
  get hasChanges(): boolean {
    return this.#hasChanges;
  }

  split(events: readonly ChatEvent[]): readonly ChatEvent[] {
    if (this.#form === 'none' || events.every((event) => this.#passes(event))) return events;
    return events.flatMap((event) => ('choice' in event ? this.#splitEvent(event) : [event]));
  }

  /** The text that was held back because it may begin a tag. Call it after the last event. */
  end(): readonly ChatEvent[] {
    return this.#choices.flatMap((state, choice) => state?.release(choice) ?? []);
  }

  #passes(event: ChatEvent): boolean {
    return !('choice' in event) || this.#choices[event.choice] === null;
  }

  #splitEvent(event: ChoiceEvent): readonly ChatEvent[] {
    const { choice } = event;
    const state = this.#choices[choice];
    if (state === null || event.type === 'citation') return [event];
    const tagged = state ?? new TaggedChoice(this.#form);
    const events = event.type === 'text' ? tagged.read(event) : [...tagged.release(choice), event];
    if (event.type !== 'text' && event.type !== 'finish') tagged.skipTag();
    this.#hasChanges ||= tagged.hasBegun;
    this.#choices[choice] = tagged.isOver ? null : tagged;
    return events;
  }
}

/** The text of one choice until its reasoning has ended. */
class TaggedChoice {
  readonly #form: ThinkTags;
  readonly #code = new CodeQuotes();
  /** `space` is the white space after a tag, which is dropped; `next` is the part that follows it. */
  #part: 'start' | 'space' | 'reasoning' | 'text' = 'start';
  #next: 'reasoning' | 'text' = 'reasoning';
  /** The end of the text, which may be the beginning of a tag. */
  #held = '';
  /** Whether the text began with reasoning. */
  hasBegun = false;

  constructor(form: ThinkTags) {
    this.#form = form;
  }

  /** Whether the rest of the text is the visible reply. */
  get isOver(): boolean {
    return this.#part === 'text';
  }

  /** Without a tag so far, the later text has none either: another part of the reply came first. */
  skipTag(): void {
    if (this.#part === 'start') this.#part = 'text';
  }

  read({ choice, text }: Extract<ChatEvent, { type: 'text' }>): readonly ChatEvent[] {
    let rest = this.#part === 'start' ? this.#readStart(text) : text;
    if (this.#part === 'space') rest = this.#dropSpace(rest);
    let reasoning = '';
    if (this.#part === 'reasoning') {
      [reasoning, rest] = this.#readReasoning(rest);
    }
    return [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', choice, text: reasoning } as const]),
      ...(rest === '' ? [] : [{ type: 'text', choice, text: rest } as const]),
    ];
  }

  /** The text that was held back. */
  release(choice: number): readonly ChatEvent[] {
    const text = this.#held;
    this.#held = '';
    if (text === '') return [];
    return [{ type: this.#part === 'reasoning' ? 'reasoning' : 'text', choice, text }];
  }

  /** Returns the text after the opening tag, or all text without a tag. */
  #readStart(piece: string): string {
    const text = this.#held + piece;
    const words = text.trimStart();
    const isNear = text.length - words.length <= maxLeadingSpace;
    const hasTag = isNear && words.startsWith(openingTag);
    if (isNear && !hasTag && openingTag.startsWith(words)) {
      this.#held = text;
      return '';
    }
    this.#held = '';
    this.hasBegun = hasTag || this.#form === 'closing';
    this.#part = this.hasBegun ? 'space' : 'text';
    return hasTag ? words.slice(openingTag.length) : text;
  }

  #dropSpace(text: string): string {
    const words = text.trimStart();
    if (words !== '') this.#part = this.#next;
    return words;
  }

  /** Returns the reasoning in the text, and the text after its closing tag. */
  #readReasoning(text: string): [reasoning: string, rest: string] {
    let reasoning = '';
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      const tag = this.#held + character;
      if (tag === closingTag && !this.#code.quotesClosingTag()) {
        this.#held = '';
        this.#part = 'space';
        this.#next = 'text';
        return [reasoning, this.#dropSpace(text.slice(at + 1))];
      }
      if (mayBecomeTag(tag)) {
        if (this.#held === '') reasoning += text.slice(from, at);
        this.#held = tag;
        from = at + 1;
        continue;
      }
      if (this.#held !== '') {
        if (tag === openingTag) this.#code.readOpeningTag();
        this.#code.read('<');
        reasoning += this.#held;
        this.#held = '';
        from = at;
        at--;
      } else this.#code.read(character);
    }
    return [reasoning + text.slice(from), ''];
  }
}

function mayBecomeTag(text: string): boolean {
  if (!text.startsWith('<') || text.length >= closingTag.length) return false;
  return closingTag.startsWith(text) || (openingTag.startsWith(text) && text !== openingTag);
}

/**
 * Distinguishes tags in code from tags of the reply, in reasoning that is read by characters. In doubt, a closing tag
 * ends the reasoning: otherwise the whole reply would be part of it.
 */
class CodeQuotes {
  #isInBlock = false;
  #isInSpan = false;
  /** The length of the fence that may begin the line; undefined after other text. */
  #fence: number | undefined = 0;
  #last = '';
  /** Whether the code has an opening tag without its closing tag. */
  #hasOpeningTag = false;

  /** @param character `<` for any text that resembles a tag */
  read(character: string): void {
    if (character === '\n') {
      this.#fence = 0;
      this.#isInSpan = false;
      this.#hasOpeningTag &&= this.#isInBlock;
    } else if (character === '`' || character === '~') this.#readMark(character);
    else if (character !== ' ' && character !== '\t') this.#fence = undefined;
    this.#last = character;
  }

  readOpeningTag(): void {
    this.#hasOpeningTag = this.#isInBlock || this.#followsMark;
  }

  /** Whether a closing tag here is code. */
  quotesClosingTag(): boolean {
    const isQuoted = this.#hasOpeningTag || this.#followsMark;
    this.#hasOpeningTag = false;
    return isQuoted;
  }

  get #followsMark(): boolean {
    return this.#isInSpan && this.#last === '`';
  }

  #readMark(character: string): void {
    if (this.#fence !== undefined) this.#fence += 1;
    if (this.#fence === 3) {
      this.#isInBlock = !this.#isInBlock;
      this.#isInSpan = false;
      this.#hasOpeningTag = false;
    } else if (!this.#isInBlock && character === '`' && this.#last !== '`') {
      this.#isInSpan = !this.#isInSpan;
      this.#hasOpeningTag = false;
    }
  }
}
