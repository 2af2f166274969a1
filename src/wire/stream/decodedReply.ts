import { type JsonObject, nonEmptyString } from '../../base/json.ts';
import { type ChatEvent, type FinishReason, type Usage, usageNames } from '../chatEvent.ts';
import { explain } from '../explanations/explanation.ts';
import {
  createCutReplyFailure,
  createEmptyReplyFailure,
  createMalformedReplyFailure,
  createTooLargeReplyFailure,
  type FailureDetails,
  readInnerFailure,
} from '../failures/replyFailure.ts';
import { readReportedCost } from '../reportedCost.ts';
import type { ChangingValue } from './repeatedEvents.ts';
import { ThinkTagSplitter, type ThinkTags } from './thinkTags.ts';

/** Reads the payloads of one API format: the events of a stream, or one whole document. */
export interface FormatDecoder {
  /** The required member of a reply in this format, for the explanation of a failure. */
  readonly requiredMember: string;
  /** The member with the type of an event, if the format has one. */
  readonly eventType?: string;
  /**
   * Whether only an event of the format ends a stream. Without one, a reply is complete once every choice in it
   * has finished, or with `[DONE]`.
   */
  readonly hasEndMark?: boolean;
  /** Called before the first payload, with secrets that must not be recorded. */
  hideSecrets?(secrets: readonly string[]): void;
  /** @returns the value of an event's data, or of a whole document; undefined if it is not JSON */
  parse(data: string): unknown;
  /** Finds the values in which most events of a stream differ, if `read` needs only the payload. */
  readonly findChanging?: (payload: unknown) => readonly ChangingValue[];
  /**
   * Reports the content of a payload to `reply`.
   *
   * @returns the error in the payload, if any
   */
  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined;
}

/** How a reply ended, judged only by its bytes. */
export type Conclusion =
  | { readonly kind: 'complete' | 'truncated' }
  | { readonly kind: 'interrupted' | 'failed'; readonly failure: FailureDetails };

interface Finish {
  readonly reason: FinishReason;
  readonly isTruncated: boolean;
}

/** Far more choices than any request needs. Further choices are dropped. */
const maxChoices = 1024;

/** Higher than any real count. Sums of such counts are still exact. */
const maxCount = 1e12;

/** Rounds to a whole number: some gateways estimate counts and send fractions. */
function readTokenCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= maxCount)) return undefined;
  return Math.round(value);
}

/** Token counts that are not checked yet. */
export type RawUsage = { readonly [Name in keyof Usage]: unknown };

/** @returns the valid counts; undefined if there are none */
export function readValidUsage(counts: RawUsage): Usage | undefined {
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  let hasCounts = false;
  for (const name of usageNames) {
    const count = readTokenCount(counts[name]);
    if (count === undefined) continue;
    usage[name] = count;
    hasCounts = true;
  }
  return hasCounts ? usage : undefined;
}

/** Far longer than any provider's name of a service tier. */
const maxTierLength = 64;

/** One reply: the events of the current batch, and how it ended. A `FormatDecoder` reports to it. */
export class DecodedReply {
  readonly #format: FormatDecoder;
  readonly #meter = new ReplyMeter();
  readonly #thinking: ThinkTagSplitter;
  /** The choices seen so far, and how each of them finished. */
  readonly #choices = new Map<number, Finish | undefined>();
  #events: ChatEvent[] = [];
  #hasPayload = false;
  #isStream = false;
  #hasStarted = false;
  #hasEnded = false;
  #isPending = false;
  /** The last reported cost, in US dollars. */
  #cost: number | undefined;
  #serviceTier: string | undefined;

  constructor(format: FormatDecoder, thinkTags: ThinkTags = 'paired') {
    this.#format = format;
    this.#thinking = new ThinkTagSplitter(thinkTags);
  }

  /** The events of the current batch. Decoders append to it. */
  get events(): ChatEvent[] {
    return this.#events;
  }

  /** Whether the start of the reply was reported. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Whether the format's own end mark was read. Later payloads are ignored. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the gateway continues the reply in the background. */
  get isPending(): boolean {
    return this.#isPending && !this.#hasEnded;
  }

  /** @returns the error in the payload or in the whole reply, if any */
  read(payload: JsonObject): FailureDetails | undefined {
    if (this.#hasEnded) return undefined;
    const { eventType } = this.#format;
    const from = this.#events.length;
    this.#hasPayload = true;
    this.#isStream ||= eventType !== undefined && typeof payload[eventType] === 'string';
    return this.#format.read(payload, this) ?? this.#meter.measure(this.#events, from);
  }

  /** Whether a text contained reasoning between tags. The events report it as reasoning. */
  get hasThinkTags(): boolean {
    return this.#thinking.hasChanges;
  }

  /** @param isLast whether no more payloads are read */
  takeEvents(isLast = false): readonly ChatEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const splitEvents = this.#thinking.split(events);
    return isLast ? [...splitEvents, ...this.#thinking.end()] : splitEvents;
  }

  /**
   * Reports the start of the reply, once.
   *
   * @param isCertain whether the reply starts here even without an id and a model
   */
  start(id: unknown, model: unknown, isCertain: boolean): void {
    const validId = nonEmptyString(id);
    const validModel = nonEmptyString(model);
    if (this.#hasStarted || !(validId || validModel || isCertain)) return;
    this.#hasStarted = true;
    this.#events.push({
      type: 'start',
      ...(validId && { id: validId }),
      ...(validModel && { model: validModel }),
    });
  }

  /**
   * Marks the choice as seen.
   *
   * @returns its index; undefined if it is not a valid index
   */
  markChoice(index: unknown): number | undefined {
    if (!isIndex(index)) return undefined;
    if (!this.#choices.has(index)) this.#choices.set(index, undefined);
    return index;
  }

  hasFinished(choice: number): boolean {
    return this.#choices.get(choice) !== undefined;
  }

  /** @param raw the reason as the provider wrote it */
  finish(choice: number, reason: FinishReason, raw: string, isTruncated = reason === 'length'): void {
    this.#choices.set(choice, { reason, isTruncated });
    this.#events.push({ type: 'finish', choice, reason, raw });
  }

  /**
   * Reports the valid token counts, if any, and the charged cost.
   *
   * @param rawUsage the object that contains the counts
   */
  reportUsage(counts: RawUsage, rawUsage: JsonObject): void {
    this.#countTokens(counts);
    const usd = readReportedCost(rawUsage);
    if (usd === undefined || usd === this.#cost) return;
    this.#cost = usd;
    this.#events.push({ type: 'cost', usd });
  }

  /** Reports how the provider processed the request, if it is known. */
  reportServiceTier(tier: unknown): void {
    const name = nonEmptyString(tier)?.slice(0, maxTierLength);
    if (name === undefined || name === this.#serviceTier) return;
    this.#serviceTier = name;
    this.#events.push({ type: 'serviceTier', name });
  }

  #countTokens(counts: RawUsage): void {
    const usage = readValidUsage(counts);
    if (usage) this.#events.push({ type: 'usage', usage });
  }

  /** Ends the reply: the format's own end mark was read. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Marks the reply as continued by the gateway in the background. */
  suspend(): void {
    this.#isPending = true;
  }

  /**
   * How the reply ended.
   *
   * @param hasEnd whether a stream ended with `[DONE]`, or a document was complete
   */
  conclude(hasEnd: boolean): Conclusion {
    const finishes = [...this.#choices.values()];
    if (finishes.some((finish) => finish?.reason === 'error'))
      return { kind: 'failed', failure: readInnerFailure({}) };
    if (this.#isComplete(hasEnd, finishes))
      return { kind: finishes.some((finish) => finish?.isTruncated) ? 'truncated' : 'complete' };
    if (!hasEnd || this.#isStream) return { kind: 'interrupted', failure: createCutReplyFailure() };
    const failure = this.#hasPayload
      ? createMalformedReplyFailure(explain('member-missing', { member: this.#format.requiredMember }))
      : createEmptyReplyFailure();
    return { kind: 'failed', failure };
  }

  #isComplete(hasEnd: boolean, finishes: readonly (Finish | undefined)[]): boolean {
    if (this.#hasEnded || this.#isPending) return true;
    if (this.#format.hasEndMark || finishes.length === 0) return false;
    return hasEnd || finishes.every((finish) => finish !== undefined);
  }
}

function isIndex(index: unknown): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < maxChoices;
}

/** The most characters of text, reasoning, arguments and media in one reply. */
export const maxReplyLength = 32 * 1024 * 1024;

/** The most calls of one choice, far more than models make. */
const maxCalls = 4_096;

/** Counts the content and the calls of one reply, to limit its size. */
class ReplyMeter {
  #length = 0;

  /**
   * Counts the events from position `from` on.
   *
   * @returns the failure once the reply is too long, or calls too many tools
   */
  measure(events: readonly ChatEvent[], from: number): FailureDetails | undefined {
    for (let at = from; at < events.length; at++) {
      const event = events[at];
      if (event?.type === 'toolCall' && event.index >= maxCalls)
        return createTooLargeReplyFailure(explain('too-many-calls', { count: maxCalls }));
      this.#length += measureEvent(event);
    }
    if (this.#length <= maxReplyLength) return undefined;
    return createTooLargeReplyFailure(explain('reply-too-long', { maxLength: maxReplyLength }));
  }
}

function measureEvent(event: ChatEvent | undefined): number {
  switch (event?.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return event.text.length;
    case 'toolCall':
      return event.arguments?.length ?? 0;
    case 'media':
      return event.data.length;
    default:
      return 0;
  }
}
