import { isObject, parseJson } from '../../base/json.ts';
import type { ChatEvent, FinishReason } from '../chatEvent.ts';

/** What a section of a reply holds beside text that arrives in pieces. */
export type SectionHead =
  | { readonly kind: 'text' | 'reasoning' | 'refusal' }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly position: number }
  | { readonly kind: 'media'; readonly mimeType: string; readonly data: string }
  | { readonly kind: 'link'; readonly mimeType: string; readonly url: string };

/** Where something that was said comes from. */
export interface Citation {
  readonly url: string;
  readonly title?: string;
  /** How much of the section's text there was when it came, in characters. */
  readonly at: number;
}

/** A part of a choice that is all answer, all reasoning, one tool call or one picture. */
export interface Section {
  readonly head: SectionHead;
  /** Position among the sections of the choice. */
  readonly index: number;
  /** Its text, or the arguments of a call as JSON text; whole once the section is closed. */
  readonly text: string;
  /** The provider's proof of reasoning or of a call; final once the section is closed. */
  readonly signature?: string | undefined;
  /** Whether the signature arrived after the section was opened. */
  readonly isSignedLate: boolean;
  /** Whether the reply ended early while the section was open, so a call may have a part of its arguments only. */
  readonly isCut: boolean;
  /** Of text; whole once the choice is. */
  readonly citations: readonly Citation[];
}

/** What happens in a choice. At any time one section is open at most. */
export type Step =
  | { readonly type: 'open' | 'close'; readonly section: Section }
  | { readonly type: 'add'; readonly section: Section; readonly text: string }
  /** The section may be closed by then. */
  | { readonly type: 'cite'; readonly section: Section; readonly citation: Citation };

/** How a choice ended. */
export interface Finish {
  readonly reason: FinishReason;
  /** The stop sequence at which it ended, where that is known. */
  readonly stopSequence?: string;
}

type Of<Type extends ChatEvent['type']> = Extract<ChatEvent, { type: Type }>;

class GrowingSection implements Section {
  readonly head: SectionHead;
  readonly index: number;
  readonly citations: Citation[] = [];
  readonly #pieces: string[] = [];
  readonly #objectEnd = new ObjectEnd();
  #length = 0;
  #isWhole = false;
  signature: string | undefined;
  isSignedLate = false;
  isCut = false;

  constructor(head: SectionHead, index: number, signature?: string) {
    this.head = head;
    this.index = index;
    this.signature = signature;
  }

  sign(signature: string): void {
    this.signature = signature;
    this.isSignedLate = true;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Whether no further fragment can follow the arguments of a call. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  add(text: string): Step {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.head.kind === 'call' && this.#objectEnd.add(text))
      this.#isWhole = isObject(parseJson(this.text));
    return { type: 'add', section: this, text };
  }

  cite(source: Omit<Citation, 'at'>): Step {
    const citation = { ...source, at: this.#length };
    this.citations.push(citation);
    return { type: 'cite', section: this, citation };
  }
}

/** A call that is not written yet: its name is missing, or another call is open. */
interface HeldCall {
  id?: string | undefined;
  name?: string | undefined;
  signature?: string | undefined;
  arguments: string;
}

/**
 * Puts the events of one choice into sections, one after another. Fragments of several calls may alternate: the
 * first call goes on, and the others wait for its end.
 */
export class Sections {
  readonly #callId: (position: number) => string;
  readonly #signsCalls: boolean;
  readonly #held = new Map<number, HeldCall>();
  readonly #written = new Set<number>();
  #open: GrowingSection | undefined;
  #openCall: number | undefined;
  #lastText: GrowingSection | undefined;
  /** Sources that came before any text. */
  readonly #early: Omit<Citation, 'at'>[] = [];
  readonly #cited = new Set<string>();
  /** Signatures of calls that were written before, for a format whose calls hold none. */
  readonly #lateProofs: string[] = [];
  #count = 0;
  #calls = 0;

  /**
   * @param callId makes the id of a call that has none
   * @param signsCalls whether a call of the format holds its signature; otherwise reasoning next to it does
   */
  constructor(callId: (position: number) => string, signsCalls: boolean) {
    this.#callId = callId;
    this.#signsCalls = signsCalls;
  }

  /** Whether a tool was called. */
  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /**
   * @returns what an event changes
   * @throws {LateFragment} for arguments of a call that is written already
   */
  read(event: ChatEvent): readonly Step[] {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return this.#say(event.type, event.text);
      case 'reasoning':
        return this.#think(event);
      case 'toolCall':
        return this.#call(event);
      case 'media':
        return this.#whole({ kind: 'media', mimeType: event.mimeType, data: event.data });
      case 'mediaLink':
        return this.#whole({ kind: 'link', mimeType: event.mimeType, url: event.url });
      case 'citation':
        return this.#cite(event);
      default:
        return [];
    }
  }

  /**
   * Closes what is open and writes the calls that wait.
   *
   * @param isCut whether the reply ended early
   */
  end(isCut = false): readonly Step[] {
    const steps = [...this.#close(isCut), ...this.#writeHeld(isCut), ...this.#writeLateProofs()];
    if (isCut) for (const { section } of steps) if (section instanceof GrowingSection) section.isCut = true;
    return steps;
  }

  #say(kind: 'text' | 'refusal', text: string): readonly Step[] {
    if (this.#open?.head.kind === kind) return [this.#open.add(text)];
    const ended = this.end();
    const begun = this.#begin({ kind }, text);
    if (kind !== 'text' || !this.#open) return [...ended, ...begun];
    const section = this.#open;
    this.#lastText = section;
    return [...ended, ...begun, ...this.#early.splice(0).map((source) => section.cite(source))];
  }

  /** Each source is told once; one without an address has no place in other formats. */
  #cite({ url, title }: Of<'citation'>): readonly Step[] {
    if (url === undefined || this.#cited.has(url)) return [];
    this.#cited.add(url);
    const source = { url, ...(title !== undefined && { title }) };
    if (this.#lastText) return [this.#lastText.cite(source)];
    this.#early.push(source);
    return [];
  }

  #think({ text, signature }: Of<'reasoning'>): readonly Step[] {
    const goesOn = this.#open?.head.kind === 'reasoning' && this.#open.signature === undefined;
    const ended = goesOn ? [] : this.end();
    const steps = goesOn && this.#open ? added(this.#open, text) : this.#begin({ kind: 'reasoning' }, text);
    if (signature) this.#open?.sign(signature);
    return [...ended, ...steps];
  }

  #whole(head: SectionHead): readonly Step[] {
    return [...this.end(), ...this.#begin(head, ''), ...this.#close()];
  }

  #call(event: Of<'toolCall'>): readonly Step[] {
    const { index, arguments: text = '', signature } = event;
    if (this.#openCall === index && this.#open) {
      if (signature) this.#signLate(this.#open, signature);
      return added(this.#open, text);
    }
    if (this.#written.has(index)) {
      if (text !== '') throw new LateFragment();
      return [];
    }
    const call = this.#hold(event);
    if (call.name === undefined) return [];
    if (this.#openCall !== undefined && !this.#open?.isWhole) return [];
    this.#held.delete(index);
    return this.#beginCall(index, call);
  }

  #signLate(call: GrowingSection, signature: string): void {
    if (this.#signsCalls) call.sign(signature);
    else this.#lateProofs.push(signature);
  }

  #writeLateProofs(): readonly Step[] {
    return this.#lateProofs.splice(0).flatMap((signature) => [...this.#prove(signature), ...this.#close()]);
  }

  /** Leaves open a reasoning section that holds the signature: the last one, if it has none. */
  #prove(signature: string): readonly Step[] {
    if (this.#open?.head.kind === 'reasoning' && this.#open.signature === undefined) {
      this.#open.sign(signature);
      return [];
    }
    return [...this.#close(), ...this.#begin({ kind: 'reasoning' }, '', signature)];
  }

  #hold({ index, id, name, signature, arguments: text = '' }: Of<'toolCall'>): HeldCall {
    const call = this.#held.get(index) ?? { arguments: '' };
    call.id ??= id;
    call.name ??= name;
    call.signature ??= signature;
    call.arguments += text;
    this.#held.set(index, call);
    return call;
  }

  #writeHeld(isCut: boolean): readonly Step[] {
    const waiting = [...this.#held].sort(([one], [other]) => one - other);
    this.#held.clear();
    return waiting.flatMap(([index, call]) => [...this.#beginCall(index, call), ...this.#close(isCut)]);
  }

  /** Closes what is open before. */
  #beginCall(index: number, { id, name = '', signature, arguments: text }: HeldCall): readonly Step[] {
    const proved = signature === undefined || this.#signsCalls ? [] : this.#prove(signature);
    const ended = [...proved, ...this.#close()];
    const position = this.#calls++;
    const head = { kind: 'call', id: id ?? this.#callId(position), name, position } as const;
    const steps = this.#begin(head, text, this.#signsCalls ? signature : undefined);
    this.#openCall = index;
    return [...ended, ...steps];
  }

  #begin(head: SectionHead, text: string, signature?: string): readonly Step[] {
    const section = new GrowingSection(head, this.#count++, signature);
    this.#open = section;
    return [{ type: 'open', section }, ...added(section, text)];
  }

  #close(isCut = false): readonly Step[] {
    const section = this.#open;
    if (!section) return [];
    // Programs parse the arguments, and nothing is no JSON.
    const filled = section.head.kind === 'call' && section.isEmpty && !isCut ? [section.add('{}')] : [];
    if (this.#openCall !== undefined) this.#written.add(this.#openCall);
    this.#open = undefined;
    this.#openCall = undefined;
    return [...filled, { type: 'close', section }];
  }
}

/** The arguments of a call went on after it had ended. */
export class LateFragment extends Error {
  override readonly name = 'LateFragment';
}

function added(section: GrowingSection, text: string): readonly Step[] {
  return text === '' ? [] : [section.add(text)];
}

/** Finds the end of a JSON object whose text comes in pieces, in time that grows with the text alone. */
class ObjectEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasEnded = false;

  /** @returns whether the object ends in this piece */
  add(piece: string): boolean {
    if (this.#hasEnded) return false;
    for (const character of piece) {
      if (this.#isInString) this.#readInString(character);
      else if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') this.#depth++;
      else if ((character === '}' || character === ']') && --this.#depth === 0) {
        this.#hasEnded = true;
        break;
      }
    }
    return this.#hasEnded;
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }
}
