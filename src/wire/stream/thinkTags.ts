import type { ChatEvent } from '../chatEvent.ts';

/** How a model marks reasoning in its text if the reply has no separate member for reasoning. */
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
 * A closing tag inside a block of code is held back with the text after it: it is code if another closing tag follows,
 * otherwise it ended the reasoning.
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

  /** The text that was held back. Call it after the last event. */
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
  #code = new CodeQuotes();
  /** `space` is the white space after a tag, which is dropped; `next` is the part that follows it. */
  #part: 'start' | 'space' | 'reasoning' | 'text' = 'start';
  #next: 'reasoning' | 'text' = 'reasoning';
  /** The end of the text, which may be the beginning of a tag, or a closing tag that code may quote. */
  #held = '';
  /** The text that begins with a closing tag inside a block of code. */
  #doubtful: string | undefined;
  /** Whether the text began with reasoning. */
  hasBegun = false;

  constructor(form: ThinkTags) {
    this.#form = form;
  }

  /** Whether the rest of the text is the visible reply. */
  get isOver(): boolean {
    return this.#part === 'text';
  }

  /** Called if another part of the reply precedes the text. Without a tag so far, the later text has no tag either. */
  skipTag(): void {
    if (this.#part === 'start') this.#part = 'text';
  }

  read({ choice, text }: Extract<ChatEvent, { type: 'text' }>): readonly ChatEvent[] {
    let rest = this.#part === 'start' ? this.#readStart(text) : text;
    let reasoning = '';
    do {
      if (this.#part === 'space') rest = this.#dropSpace(rest);
      if (this.#part !== 'reasoning') break;
      const [words, after] = this.#readReasoning(rest);
      reasoning += words;
      rest = after;
    } while (rest !== '');
    return [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', choice, text: reasoning } as const]),
      ...(rest === '' ? [] : [{ type: 'text', choice, text: rest } as const]),
    ];
  }

  /** The text that was held back. Without another closing tag, a doubtful one ended the reasoning. */
  release(choice: number): readonly ChatEvent[] {
    let text = this.#held;
    this.#held = '';
    if (this.#doubtful !== undefined) {
      this.#part = 'text';
      text = (this.#doubtful + text).slice(closingTag.length).trimStart();
      this.#doubtful = undefined;
    }
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

  #dropSpace(piece: string): string {
    const words = (this.#held + piece).trimStart();
    this.#held = '';
    if (words === '') return '';
    if (this.#next === 'reasoning' || !mayBeginBlock(words)) {
      this.#part = this.#next;
      return words;
    }
    if (!words.startsWith(openingTag)) {
      this.#held = words;
      return '';
    }
    // Some models send an empty block first, or several blocks.
    this.#next = 'reasoning';
    this.#code = new CodeQuotes();
    return this.#dropSpace(words.slice(openingTag.length));
  }

  /** Returns the reasoning in the text, and the text after its closing tag. */
  #readReasoning(text: string): [reasoning: string, rest: string] {
    let certain = '';
    let reasoning = '';
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      // Only a backtick directly after the tag proves that a span of code quotes it.
      if (this.#held === closingTag && character !== '`') {
        return [certain + this.#endReasoning(reasoning), text.slice(at)];
      }
      const tag = this.#held + character;
      if (tag === closingTag && this.#code.isInBlock) {
        certain += (this.#doubtful ?? '') + reasoning;
        this.#doubtful = closingTag;
        reasoning = '';
        this.#held = '';
        this.#code.read('<');
        from = at + 1;
        continue;
      }
      if (tag === closingTag && !this.#code.mayQuoteTag) {
        return [certain + this.#endReasoning(reasoning), text.slice(at + 1)];
      }
      if (tag === closingTag || mayBecomeTag(tag)) {
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
    reasoning += text.slice(from);
    if (this.#doubtful === undefined) return [certain + reasoning, ''];
    this.#doubtful += reasoning;
    return [certain, ''];
  }

  /** Ends the reasoning at a closing tag, so a doubtful one before it is code. Returns the rest of the reasoning. */
  #endReasoning(reasoning: string): string {
    const rest = (this.#doubtful ?? '') + reasoning;
    this.#doubtful = undefined;
    this.#held = '';
    this.#part = 'space';
    this.#next = 'text';
    return rest;
  }
}

function mayBeginBlock(words: string): boolean {
  return words.startsWith(openingTag) || openingTag.startsWith(words);
}

function mayBecomeTag(text: string): boolean {
  if (!text.startsWith('<') || text.length >= closingTag.length) return false;
  return closingTag.startsWith(text) || (openingTag.startsWith(text) && text !== openingTag);
}

/** Finds the code in reasoning that is read by characters. In doubt, a closing tag ends the reasoning. */
class CodeQuotes {
  /** The fence that began the block. */
  #block: { readonly mark: string; readonly length: number } | undefined;
  #isInSpan = false;
  /** Whether the line has a span of code that began with an opening tag. */
  #hasOpeningTag = false;
  #last = '';
  /** The beginning of the line: marks that may be a fence, white space after them, or other text. */
  #line: 'start' | 'marks' | 'space' | 'text' = 'start';
  #mark = '';
  #count = 0;
  #opensBlock = false;

  /** @param character `<` for any text that resembles a tag */
  read(character: string): void {
    if (character === '\n') this.#endLine();
    else if (character === '`' || character === '~') this.#readMark(character);
    else if (!/[ \t\r>]/.test(character) || (character === '>' && this.#line !== 'start'))
      this.#line = 'text';
    else if (this.#line === 'marks') this.#line = 'space';
    this.#last = character;
  }

  readOpeningTag(): void {
    this.#hasOpeningTag = this.#followsMark;
  }

  get isInBlock(): boolean {
    return this.#block !== undefined && !this.#closesBlock;
  }

  /** Whether a closing tag here is code if a backtick follows it. */
  get mayQuoteTag(): boolean {
    return this.#hasOpeningTag || this.#followsMark;
  }

  get #followsMark(): boolean {
    return this.#isInSpan && this.#last === '`';
  }

  /** Whether the line so far is a fence that closes the block. */
  get #closesBlock(): boolean {
    if (this.#opensBlock || (this.#line !== 'marks' && this.#line !== 'space')) return false;
    return this.#block?.mark === this.#mark && this.#count >= this.#block.length;
  }

  #endLine(): void {
    if (this.#closesBlock) this.#block = undefined;
    this.#isInSpan = false;
    this.#hasOpeningTag = false;
    this.#line = 'start';
    this.#mark = '';
    this.#count = 0;
    this.#opensBlock = false;
  }

  #readMark(character: string): void {
    if (this.#line === 'start' || (this.#line === 'marks' && this.#mark === character)) {
      this.#line = 'marks';
      this.#mark = character;
      this.#count += 1;
    } else this.#line = 'text';
    this.#opensBlock ||= this.#block === undefined && this.#count === 3;
    if (this.#opensBlock && this.#line === 'marks') {
      this.#block = { mark: character, length: this.#count };
      this.#isInSpan = false;
      this.#hasOpeningTag = false;
    } else if (!this.isInBlock && character === '`' && this.#last !== '`') {
      this.#isInSpan = !this.#isInSpan;
      this.#hasOpeningTag = false;
    }
  }
}
