import { sameJson } from '../../base/json.ts';
import type { ChatEvent } from '../chatEvent.ts';
import { completeForms, redacted } from './secretForms.ts';

/**
 * Shorter credentials are not searched for: a server without authentication may have a made-up one that is also a
 * word.
 */
export const minEchoLength = 16;

type GrowingEvent = Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'refusal' | 'toolCall' }>;

/** Shorter prefixes of a credential end many words, so that holding them back would delay many words. */
const minHeldLength = 4;

/** The end of a text that may be the beginning of a credential, and its event. */
interface Held {
  readonly event: GrowingEvent;
  readonly end: string;
  /** The number of characters that were already emitted. */
  readonly emittedLength: number;
}

/** What to search for in a text. */
interface Sought {
  readonly secrets: readonly string[];
  readonly forms: readonly string[];
  readonly longest: number;
  readonly shortest: number;
  readonly firsts: ReadonlySet<string>;
  /** All pairs of characters that follow each other in a form, by `pairEnding`. */
  readonly pairs: ReadonlySet<number>;
}

const nothing = createSought([]);

/** Most calls have the credential of the previous call. */
let lastSought: Sought | undefined;

function soughtFor(secrets: readonly string[]): Sought {
  if (secrets.length === 0) return nothing;
  if (!lastSought || !sameJson(lastSought.secrets, secrets)) lastSought = createSought(secrets);
  return lastSought;
}

function createSought(secrets: readonly string[]): Sought {
  const forms = secrets.flatMap(completeForms);
  return {
    secrets,
    forms,
    longest: Math.max(0, ...forms.map(({ length }) => length)),
    shortest: Math.min(...forms.map(({ length }) => length)),
    firsts: new Set(forms.map((form) => form.slice(0, 1))),
    pairs: new Set(forms.flatMap(pairsOf)),
  };
}

/**
 * Hides credentials in the events of one reply, even if a credential is split among several events. Gateways repeat
 * the requests they receive, and replies are stored and exported. Holds back only text that may be the beginning of
 * a credential. Up to three letters of a credential may be emitted before.
 */
export class EchoFilter {
  readonly #sought: Sought;
  /** By choice. A choice continues only one text at a time. */
  readonly #held = new Map<number, Held>();

  constructor(secrets: readonly string[]) {
    this.#sought = soughtFor(secrets.filter(({ length }) => length >= minEchoLength));
  }

  /** The events without credentials, in their order. */
  hide(events: readonly ChatEvent[]): readonly ChatEvent[] {
    if (this.#sought.forms.length === 0 || events.every((event) => this.#isUsual(event))) return events;
    const shown: ChatEvent[] = [];
    for (const event of events) {
      if (this.#isUsual(event)) shown.push(event);
      else shown.push(...this.#hideIn(event));
    }
    return shown;
  }

  /** The text that was held back. Call it after the last event. */
  flush(): readonly ChatEvent[] {
    return [...this.#held.keys()].flatMap((choice) => this.#release(choice));
  }

  /**
   * Whether the event is only text without a credential or the beginning of one. Nearly all events are: two
   * characters at the end are enough to know that no credential begins there.
   */
  #isUsual(event: ChatEvent): boolean {
    if (!isOpen(event) || (this.#held.size > 0 && this.#held.has(event.choice))) return false;
    if (event.type === 'toolCall' && (event.id !== undefined || event.name !== undefined)) return false;
    const text = textOf(event);
    if (text === '' || this.#sought.firsts.has(text.charAt(text.length - 1))) return false;
    return !this.#sought.pairs.has(pairEnding(text, text.length)) && !this.#isIn(text);
  }

  #hideIn(event: ChatEvent): readonly ChatEvent[] {
    if (!('choice' in event)) return [this.#redactEvent(event)];
    const held = this.#held.get(event.choice);
    const before = held && !continues(held.event, event) ? this.#release(event.choice) : [];
    return [...before, ...(isOpen(event) ? this.#grow(event) : [this.#redactEvent(event)])];
  }

  /** Emits the safe part of a text that may continue. */
  #grow(event: GrowingEvent): readonly ChatEvent[] {
    const { end: before, emittedLength } = this.#held.get(event.choice) ?? { end: '', emittedLength: 0 };
    const text = this.#redactText(before + textOf(event));
    const from = commonLength(before.slice(0, emittedLength), text);
    const at = this.#beginningIn(text);
    const to = text.length - at < minHeldLength ? text.length : Math.max(at, from);
    if (at < text.length)
      this.#held.set(event.choice, { event, end: text.slice(at), emittedLength: to - at });
    else this.#held.delete(event.choice);
    const isMore = event.type === 'toolCall' && (event.id !== undefined || event.name !== undefined);
    return to > from || isMore ? [this.#redactEvent(withText(event, text.slice(from, to)))] : [];
  }

  #release(choice: number): readonly ChatEvent[] {
    const held = this.#held.get(choice);
    this.#held.delete(choice);
    return held && held.emittedLength < held.end.length ? [restOf(held)] : [];
  }

  /** The position at which an unfinished credential may begin; the length of the text if there is none. */
  #beginningIn(text: string): number {
    for (let at = Math.max(0, text.length - this.#sought.longest + 1); at < text.length; at++) {
      if (!this.#sought.firsts.has(text[at] ?? '')) continue;
      const end = text.slice(at);
      if (this.#sought.forms.some((form) => form.startsWith(end))) return at;
    }
    return text.length;
  }

  #redactEvent(event: ChatEvent): ChatEvent {
    if (event.type === 'media' || event.type === 'usage' || event.type === 'cost') return event;
    if (!Object.values(event).some((value) => typeof value === 'string' && this.#isIn(value))) return event;
    const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? this.#redactText(value) : value,
    ]);
    return Object.fromEntries(entries) as ChatEvent;
  }

  #redactText(text: string): string {
    if (!this.#isIn(text)) return text;
    return this.#sought.forms.reduce((rest, form) => rest.replaceAll(form, redacted), text);
  }

  #isIn(text: string): boolean {
    return text.length >= this.#sought.shortest && this.#sought.forms.some((form) => text.includes(form));
  }
}

/** A number for the two characters that end at a position. */
function pairEnding(text: string, end: number): number {
  return text.charCodeAt(end - 2) * 0x10000 + text.charCodeAt(end - 1);
}

function pairsOf(form: string): readonly number[] {
  return Array.from({ length: form.length - 1 }, (_, at) => pairEnding(form, at + 2));
}

/** Whether the next event may continue the text of this event. A signature ends the text. */
function isOpen(event: ChatEvent): event is GrowingEvent {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return true;
    case 'reasoning':
      return event.signature === undefined;
    case 'toolCall':
      return event.signature === undefined && event.arguments !== undefined;
    default:
      return false;
  }
}

function continues(before: GrowingEvent, event: ChatEvent): boolean {
  if (!isOpen(event) || event.type !== before.type) return false;
  return event.type !== 'toolCall' || before.type !== 'toolCall' || event.index === before.index;
}

function textOf(event: GrowingEvent): string {
  return event.type === 'toolCall' ? (event.arguments ?? '') : event.text;
}

function withText(event: GrowingEvent, text: string): GrowingEvent {
  return event.type === 'toolCall' ? { ...event, arguments: text } : { ...event, text };
}

function restOf({ event, end, emittedLength }: Held): ChatEvent {
  const { type, choice } = event;
  const text = end.slice(emittedLength);
  return type === 'toolCall' ? { type, choice, index: event.index, arguments: text } : { type, choice, text };
}

/** The length of the common prefix of two texts. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
