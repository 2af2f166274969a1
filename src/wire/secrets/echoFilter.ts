import { sameJson } from '../../base/json.ts';
import type { ChatEvent } from '../chatEvent.ts';
import { listCompleteForms, redacted } from './secretForms.ts';

/**
 * Shorter credentials are not searched for, because the invented credential of a server without authentication may
 * be an ordinary word.
 */
export const minEchoLength = 16;

type GrowingEvent = Extract<ChatEvent, { readonly type: 'text' | 'reasoning' | 'refusal' | 'toolCall' }>;

/** Many words end with a shorter prefix of a credential. To hold such prefixes back would delay these words. */
const minHeldLength = 4;

/** The end of a text that may be the beginning of a credential, and its event. */
interface HeldText {
  readonly event: GrowingEvent;
  readonly end: string;
  /** The number of characters that were already emitted. */
  readonly emittedLength: number;
}

/** The secrets to search for, in all forms. */
interface SearchedSecrets {
  readonly secrets: readonly string[];
  readonly forms: readonly string[];
  readonly maxFormLength: number;
  readonly minFormLength: number;
  readonly firstCharacters: ReadonlySet<string>;
  /** All pairs of characters that follow each other in a form, by `encodePair`. */
  readonly pairs: ReadonlySet<number>;
}

const noSecrets = createSearchedSecrets([]);

/** Most calls have the credential of the previous call. */
let cachedSecrets: SearchedSecrets | undefined;

function findSearchedSecrets(secrets: readonly string[]): SearchedSecrets {
  if (secrets.length === 0) return noSecrets;
  if (!cachedSecrets || !sameJson(cachedSecrets.secrets, secrets))
    cachedSecrets = createSearchedSecrets(secrets);
  return cachedSecrets;
}

function createSearchedSecrets(secrets: readonly string[]): SearchedSecrets {
  const forms = secrets.flatMap(listCompleteForms);
  return {
    secrets,
    forms,
    maxFormLength: Math.max(0, ...forms.map(({ length }) => length)),
    minFormLength: Math.min(...forms.map(({ length }) => length)),
    firstCharacters: new Set(forms.map((form) => form.slice(0, 1))),
    pairs: new Set(forms.flatMap(listPairs)),
  };
}

/**
 * Hides credentials in the events of one reply, even if a credential is split among several events. Gateways repeat
 * the requests that they receive, and replies are stored and exported. Only text that may be the beginning of a
 * credential is held back. Up to three letters of a credential may already be emitted.
 */
export class EchoFilter {
  readonly #searched: SearchedSecrets;
  /** By choice. A choice continues only one text at a time. */
  readonly #held = new Map<number, HeldText>();

  constructor(secrets: readonly string[]) {
    this.#searched = findSearchedSecrets(secrets.filter(({ length }) => length >= minEchoLength));
  }

  /** The events without credentials, in their order. */
  hide(events: readonly ChatEvent[]): readonly ChatEvent[] {
    if (this.#searched.forms.length === 0 || events.every((event) => this.#isUsual(event))) return events;
    const result: ChatEvent[] = [];
    for (const event of events) {
      if (this.#isUsual(event)) result.push(event);
      else result.push(...this.#hideIn(event));
    }
    return result;
  }

  /** The text that was held back. Call it after the last event. */
  flush(): readonly ChatEvent[] {
    return [...this.#held.keys()].flatMap((choice) => this.#release(choice));
  }

  /**
   * Whether the event is only text without a credential or the beginning of one. Nearly all events are, and their last
   * two characters already show that no credential begins at the end.
   */
  #isUsual(event: ChatEvent): boolean {
    if (!isOpen(event) || (this.#held.size > 0 && this.#held.has(event.choice))) return false;
    if (event.type === 'toolCall' && (event.id !== undefined || event.name !== undefined)) return false;
    const text = readText(event);
    if (text === '' || this.#searched.firstCharacters.has(text.charAt(text.length - 1))) return false;
    return !this.#searched.pairs.has(encodePair(text, text.length)) && !this.#containsSecret(text);
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
    const text = this.#redactText(before + readText(event));
    const from = countCommonPrefix(before.slice(0, emittedLength), text);
    const at = this.#findBeginning(text);
    const to = text.length - at < minHeldLength ? text.length : Math.max(at, from);
    if (at < text.length)
      this.#held.set(event.choice, { event, end: text.slice(at), emittedLength: to - at });
    else this.#held.delete(event.choice);
    const isMore = event.type === 'toolCall' && (event.id !== undefined || event.name !== undefined);
    return to > from || isMore ? [this.#redactEvent(replaceText(event, text.slice(from, to)))] : [];
  }

  #release(choice: number): readonly ChatEvent[] {
    const held = this.#held.get(choice);
    this.#held.delete(choice);
    return held && held.emittedLength < held.end.length ? [createRestEvent(held)] : [];
  }

  /** The position at which an unfinished credential may begin; the length of the text if there is none. */
  #findBeginning(text: string): number {
    for (let at = Math.max(0, text.length - this.#searched.maxFormLength + 1); at < text.length; at++) {
      if (!this.#searched.firstCharacters.has(text[at] ?? '')) continue;
      const end = text.slice(at);
      if (this.#searched.forms.some((form) => form.startsWith(end))) return at;
    }
    return text.length;
  }

  #redactEvent(event: ChatEvent): ChatEvent {
    if (event.type === 'media' || event.type === 'usage' || event.type === 'cost') return event;
    if (!Object.values(event).some((value) => typeof value === 'string' && this.#containsSecret(value)))
      return event;
    const entries = Object.entries(event).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? this.#redactText(value) : value,
    ]);
    return Object.fromEntries(entries) as ChatEvent;
  }

  #redactText(text: string): string {
    if (!this.#containsSecret(text)) return text;
    return this.#searched.forms.reduce((rest, form) => rest.replaceAll(form, redacted), text);
  }

  #containsSecret(text: string): boolean {
    return (
      text.length >= this.#searched.minFormLength && this.#searched.forms.some((form) => text.includes(form))
    );
  }
}

/** A number for the two characters that end at a position. */
function encodePair(text: string, end: number): number {
  return text.charCodeAt(end - 2) * 0x10000 + text.charCodeAt(end - 1);
}

function listPairs(form: string): readonly number[] {
  return Array.from({ length: form.length - 1 }, (_, at) => encodePair(form, at + 2));
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

function readText(event: GrowingEvent): string {
  return event.type === 'toolCall' ? (event.arguments ?? '') : event.text;
}

function replaceText(event: GrowingEvent, text: string): GrowingEvent {
  return event.type === 'toolCall' ? { ...event, arguments: text } : { ...event, text };
}

function createRestEvent({ event, end, emittedLength }: HeldText): ChatEvent {
  const { type, choice } = event;
  const text = end.slice(emittedLength);
  return type === 'toolCall' ? { type, choice, index: event.index, arguments: text } : { type, choice, text };
}

/** The length of the common prefix of two texts. */
function countCommonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
