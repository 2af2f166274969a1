import type { ChatEvent } from '../chatEvent.ts';
import { wholeForms } from './secretForms.ts';

/** A shorter credential may be made up, for a server that needs none, and be a word as well. */
export const minEchoLength = 16;

const redacted = '[redacted]';

type Growing = Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'refusal' | 'toolCall' }>;

/** A shorter beginning of a credential ends many words: holding it back would delay them. */
const minHeldLength = 4;

/** The end of a text, which may be the beginning of a credential, and the event that it came with. */
interface Held {
  readonly event: Growing;
  readonly end: string;
  /** How much of it is told already. */
  readonly told: number;
}

/**
 * Hides credentials in the events of one reply, also where they are split among several: gateways repeat what they
 * were sent, and a reply is kept and taken along. Holds back only what may be the beginning of a credential; up to
 * three letters of one may be told before.
 */
export class Echoes {
  readonly #forms: readonly string[];
  readonly #longest: number;
  readonly #firsts: ReadonlySet<string>;
  /** By choice, which goes on with one text at a time. */
  readonly #held = new Map<number, Held>();

  constructor(secrets: readonly string[]) {
    this.#forms = secrets.filter(({ length }) => length >= minEchoLength).flatMap(wholeForms);
    this.#longest = Math.max(0, ...this.#forms.map(({ length }) => length));
    this.#firsts = new Set(this.#forms.map((form) => form.slice(0, 1)));
  }

  /** The events without credentials, in their order. */
  hide(events: readonly ChatEvent[]): readonly ChatEvent[] {
    return this.#forms.length === 0 ? events : events.flatMap((event) => this.#hideIn(event));
  }

  /** What is held back. Call it when nothing follows. */
  rest(): readonly ChatEvent[] {
    return [...this.#held.keys()].flatMap((choice) => this.#release(choice));
  }

  #hideIn(event: ChatEvent): readonly ChatEvent[] {
    if (!('choice' in event)) return [this.#covered(event)];
    const held = this.#held.get(event.choice);
    const before = held && !continues(held.event, event) ? this.#release(event.choice) : [];
    return [...before, ...(isOpen(event) ? this.#grow(event) : [this.#covered(event)])];
  }

  /** Tells what can be told of a text that may go on. */
  #grow(event: Growing): readonly ChatEvent[] {
    const { end: before, told } = this.#held.get(event.choice) ?? { end: '', told: 0 };
    const text = this.#cover(before + textOf(event));
    const from = commonLength(before.slice(0, told), text);
    const at = this.#beginningIn(text);
    const to = text.length - at < minHeldLength ? text.length : Math.max(at, from);
    if (at < text.length) this.#held.set(event.choice, { event, end: text.slice(at), told: to - at });
    else this.#held.delete(event.choice);
    const isMore = event.type === 'toolCall' && (event.id !== undefined || event.name !== undefined);
    return to > from || isMore ? [this.#covered(withText(event, text.slice(from, to)))] : [];
  }

  #release(choice: number): readonly ChatEvent[] {
    const held = this.#held.get(choice);
    this.#held.delete(choice);
    return held && held.told < held.end.length ? [restOf(held)] : [];
  }

  /** Where a credential may begin that goes on after the text; its length where none does. */
  #beginningIn(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      if (!this.#firsts.has(text[at] ?? '')) continue;
      const end = text.slice(at);
      if (this.#forms.some((form) => form.startsWith(end))) return at;
    }
    return text.length;
  }

  #covered(event: ChatEvent): ChatEvent {
    if (event.type === 'media' || event.type === 'usage' || event.type === 'cost') return event;
    const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? this.#cover(value) : value,
    ]);
    return Object.fromEntries(entries) as ChatEvent;
  }

  #cover(text: string): string {
    return this.#forms.reduce(
      (rest, form) => (rest.includes(form) ? rest.replaceAll(form, redacted) : rest),
      text,
    );
  }
}

/** Whether the text of an event may go on in the next one. A signature ends it. */
function isOpen(event: ChatEvent): event is Growing {
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

function continues(before: Growing, event: ChatEvent): boolean {
  if (!isOpen(event) || event.type !== before.type) return false;
  return event.type !== 'toolCall' || before.type !== 'toolCall' || event.index === before.index;
}

function textOf(event: Growing): string {
  return event.type === 'toolCall' ? (event.arguments ?? '') : event.text;
}

function withText(event: Growing, text: string): Growing {
  return event.type === 'toolCall' ? { ...event, arguments: text } : { ...event, text };
}

function restOf({ event, end, told }: Held): ChatEvent {
  const { type, choice } = event;
  const text = end.slice(told);
  return type === 'toolCall' ? { type, choice, index: event.index, arguments: text } : { type, choice, text };
}

/** How many characters two texts begin with in common. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
