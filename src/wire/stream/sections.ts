import { isObject, parseJson } from '../../base/json.ts';
import type { ChatEvent, FinishReason } from '../chatEvent.ts';
import { JsonScanner } from './jsonArray.ts';

/** The properties of a section besides its streamed text. */
export type SectionHead =
  | { readonly kind: 'text' | 'reasoning' | 'refusal' }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly position: number }
  | { readonly kind: 'media'; readonly mimeType: string; readonly data: string }
  | { readonly kind: 'link'; readonly mimeType: string; readonly url: string };

/** The source of a statement in a section. */
export interface SectionCitation {
  readonly url: string;
  readonly title?: string;
  /** The length of the section's text when the source arrived, in characters. */
  readonly at: number;
}

/** A part of a choice: only visible text, only reasoning, one tool call or one picture. */
export interface Section {
  readonly head: SectionHead;
  /** Position among the sections of the choice. */
  readonly index: number;
  /** Its text, or the arguments of a call as JSON text; complete once the section is closed. */
  readonly text: string;
  /** The provider's proof of reasoning or of a call; final once the section is closed. */
  readonly signature?: string | undefined;
  /** Whether the signature arrived after the section was opened. */
  readonly isSignedLate: boolean;
  /** Whether the reply ended while the section was open, so that the arguments of a call may be incomplete. */
  readonly isCut: boolean;
  /** Citations of a text section; complete once the choice is. */
  readonly citations: readonly SectionCitation[];
}

/** A change in a choice. At most one section is open at any time. */
export type SectionStep =
  | { readonly type: 'open' | 'close'; readonly section: Section }
  | { readonly type: 'add'; readonly section: Section; readonly text: string }
  /** The section may already be closed. */
  | { readonly type: 'cite'; readonly section: Section; readonly citation: SectionCitation };

/** How a choice ended. */
export interface Finish {
  readonly reason: FinishReason;
  /** The stop sequence at which the choice ended, if it is known. */
  readonly stopSequence?: string;
}

type EventOf<Type extends ChatEvent['type']> = Extract<ChatEvent, { type: Type }>;

class GrowingSection implements Section {
  readonly head: SectionHead;
  readonly index: number;
  readonly citations: SectionCitation[] = [];
  readonly #pieces: string[] = [];
  readonly #scanner = new JsonScanner();
  #length = 0;
  #hasEnded = false;
  #isComplete = false;
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

  /** Whether the arguments of a call are complete. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(text: string): SectionStep {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.head.kind === 'call' && !this.#hasEnded && this.#scanner.scan(text, 0) >= 0) {
      this.#hasEnded = true;
      this.#isComplete = isObject(parseJson(this.text));
    }
    return { type: 'add', section: this, text };
  }

  cite(source: Omit<SectionCitation, 'at'>): SectionStep {
    const citation = { ...source, at: this.#length };
    this.citations.push(citation);
    return { type: 'cite', section: this, citation };
  }
}

/** A call that is not written yet, because its name is missing or another call is open. */
interface HeldCall {
  id?: string | undefined;
  name?: string | undefined;
  signature?: string | undefined;
  arguments: string;
}

/**
 * Puts the events of one choice into sections, one after another. Fragments of several calls may alternate: the
 * first call continues, and the others wait for its end.
 */
export class Sections {
  readonly #callId: (position: number) => string;
  readonly #signsCalls: boolean;
  readonly #held = new Map<number, HeldCall>();
  readonly #written = new Set<number>();
  #open: GrowingSection | undefined;
  #openCall: number | undefined;
  #lastText: GrowingSection | undefined;
  /** Sources that arrived before any text. */
  readonly #earlyCitations: Omit<SectionCitation, 'at'>[] = [];
  readonly #citedUrls = new Set<string>();
  /** Signatures of calls that were already written, for a format whose calls do not contain signatures. */
  readonly #lateSignatures: string[] = [];
  #count = 0;
  #calls = 0;

  /**
   * @param callId creates the id of a call that has none
   * @param signsCalls whether a call of the format contains its signature; otherwise reasoning next to it does
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
   * @returns the changes by an event
   * @throws {LateFragmentError} for arguments of a call that was already written
   */
  read(event: ChatEvent): readonly SectionStep[] {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return this.#addText(event.type, event.text);
      case 'reasoning':
        return this.#addReasoning(event);
      case 'toolCall':
        return this.#addCall(event);
      case 'media':
        return this.#addClosed({ kind: 'media', mimeType: event.mimeType, data: event.data });
      case 'mediaLink':
        return this.#addClosed({ kind: 'link', mimeType: event.mimeType, url: event.url });
      case 'citation':
        return this.#cite(event);
      default:
        return [];
    }
  }

  /**
   * Closes the open section and writes the calls that wait.
   *
   * @param isCut whether the reply ended early
   */
  end(isCut = false): readonly SectionStep[] {
    const steps = [...this.#close(isCut), ...this.#writeHeld(isCut), ...this.#writeLateSignatures()];
    if (isCut) for (const { section } of steps) if (section instanceof GrowingSection) section.isCut = true;
    return steps;
  }

  #addText(kind: 'text' | 'refusal', text: string): readonly SectionStep[] {
    if (this.#open?.head.kind === kind) return [this.#open.add(text)];
    const closingSteps = this.end();
    const openingSteps = this.#begin({ kind }, text);
    if (kind !== 'text' || !this.#open) return [...closingSteps, ...openingSteps];
    const section = this.#open;
    this.#lastText = section;
    return [
      ...closingSteps,
      ...openingSteps,
      ...this.#earlyCitations.splice(0).map((source) => section.cite(source)),
    ];
  }

  /** Reports each source once. Sources without an address are skipped: other formats cannot carry them. */
  #cite({ url, title }: EventOf<'citation'>): readonly SectionStep[] {
    if (url === undefined || this.#citedUrls.has(url)) return [];
    this.#citedUrls.add(url);
    const source = { url, ...(title !== undefined && { title }) };
    if (this.#lastText) return [this.#lastText.cite(source)];
    this.#earlyCitations.push(source);
    return [];
  }

  #addReasoning({ text, signature }: EventOf<'reasoning'>): readonly SectionStep[] {
    const isContinued = this.#open?.head.kind === 'reasoning' && this.#open.signature === undefined;
    const closingSteps = isContinued ? [] : this.end();
    const steps =
      isContinued && this.#open ? addText(this.#open, text) : this.#begin({ kind: 'reasoning' }, text);
    if (signature) this.#open?.sign(signature);
    return [...closingSteps, ...steps];
  }

  #addClosed(head: SectionHead): readonly SectionStep[] {
    return [...this.end(), ...this.#begin(head, ''), ...this.#close()];
  }

  #addCall(event: EventOf<'toolCall'>): readonly SectionStep[] {
    const { index, arguments: text = '', signature } = event;
    if (this.#openCall === index && this.#open) {
      if (signature) this.#signLate(this.#open, signature);
      return addText(this.#open, text);
    }
    if (this.#written.has(index)) {
      if (text !== '') throw new LateFragmentError();
      return [];
    }
    const call = this.#hold(event);
    if (call.name === undefined) return [];
    if (this.#openCall !== undefined && !this.#open?.isComplete) return [];
    this.#held.delete(index);
    return this.#beginCall(index, call);
  }

  #signLate(call: GrowingSection, signature: string): void {
    if (this.#signsCalls) call.sign(signature);
    else this.#lateSignatures.push(signature);
  }

  #writeLateSignatures(): readonly SectionStep[] {
    return this.#lateSignatures
      .splice(0)
      .flatMap((signature) => [...this.#openSignedReasoning(signature), ...this.#close()]);
  }

  /** Signs the open reasoning section, or begins a signed one. The section remains open. */
  #openSignedReasoning(signature: string): readonly SectionStep[] {
    if (this.#open?.head.kind === 'reasoning' && this.#open.signature === undefined) {
      this.#open.sign(signature);
      return [];
    }
    return [...this.#close(), ...this.#begin({ kind: 'reasoning' }, '', signature)];
  }

  #hold({ index, id, name, signature, arguments: text = '' }: EventOf<'toolCall'>): HeldCall {
    const call = this.#held.get(index) ?? { arguments: '' };
    call.id ??= id;
    call.name ??= name;
    call.signature ??= signature;
    call.arguments += text;
    this.#held.set(index, call);
    return call;
  }

  #writeHeld(isCut: boolean): readonly SectionStep[] {
    const heldCalls = [...this.#held].sort(([one], [other]) => one - other);
    this.#held.clear();
    return heldCalls.flatMap(([index, call]) => [...this.#beginCall(index, call), ...this.#close(isCut)]);
  }

  /** Closes the open section first. */
  #beginCall(index: number, { id, name = '', signature, arguments: text }: HeldCall): readonly SectionStep[] {
    const signedReasoning =
      signature === undefined || this.#signsCalls ? [] : this.#openSignedReasoning(signature);
    const closingSteps = [...signedReasoning, ...this.#close()];
    const position = this.#calls++;
    const head = { kind: 'call', id: id ?? this.#callId(position), name, position } as const;
    const steps = this.#begin(head, text, this.#signsCalls ? signature : undefined);
    this.#openCall = index;
    return [...closingSteps, ...steps];
  }

  #begin(head: SectionHead, text: string, signature?: string): readonly SectionStep[] {
    const section = new GrowingSection(head, this.#count++, signature);
    this.#open = section;
    return [{ type: 'open', section }, ...addText(section, text)];
  }

  #close(isCut = false): readonly SectionStep[] {
    const section = this.#open;
    if (!section) return [];
    // Programs parse the arguments, and an empty text is not JSON.
    const filledSteps = section.head.kind === 'call' && section.isEmpty && !isCut ? [section.add('{}')] : [];
    if (this.#openCall !== undefined) this.#written.add(this.#openCall);
    this.#open = undefined;
    this.#openCall = undefined;
    return [...filledSteps, { type: 'close', section }];
  }
}

/** Thrown if the arguments of a call continue after the call was written. */
export class LateFragmentError extends Error {
  override readonly name = 'LateFragmentError';
}

function addText(section: GrowingSection, text: string): readonly SectionStep[] {
  return text === '' ? [] : [section.add(text)];
}
