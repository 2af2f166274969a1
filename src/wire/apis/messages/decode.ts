import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent, FinishReason } from '../../chatEvent.ts';
import {
  cutReply,
  emptyReply,
  type FailureDetails,
  failureOfInnerError,
  malformedReply,
} from '../../errorMapping.ts';
import type { Conclusion, ShapeReader } from '../../stream/replyDecoder.ts';
import { AnswerMeter } from '../answerMeter.ts';
import { type ChangingText, TemplateParser, textMember } from '../templateParser.ts';
import { MessagesBlocks } from './blocks.ts';
import { MessagesCounts } from './counts.ts';

/**
 * Reads replies of the messages format, in events or whole. The data tells the type of an event, because
 * relays drop the `event:` line. Only `message_stop` ends a stream.
 */
export class MessagesReader implements ShapeReader {
  readonly #parser = new TemplateParser(changingDelta);
  readonly #blocks = new MessagesBlocks();
  readonly #meter = new AnswerMeter();
  readonly #counts = new MessagesCounts();
  #finish: FinishReason | undefined;
  #read = false;
  #streamed = false;
  #started = false;
  #ended = false;

  /** Whether the end mark was read; the rest of the stream is ignored. */
  get ended(): boolean {
    return this.#ended;
  }

  parse(data: string): unknown {
    return this.#parser.parse(data);
  }

  read(payload: JsonObject, events: ChatEvent[]): FailureDetails | undefined {
    if (this.#ended) return undefined;
    this.#read = true;
    this.#streamed ||= typeof payload.type === 'string';
    if (payload.error || payload.type === 'error') return failureOfInnerError(payload);
    const before = events.length;
    this.#readPayload(payload, events);
    return this.#meter.measure(events, before);
  }

  conclude(marked: boolean): Conclusion {
    if (this.#ended) return { kind: this.#finish === 'length' ? 'truncated' : 'complete' };
    if (!marked || this.#streamed) return { kind: 'interrupted', failure: cutReply() };
    return { kind: 'failed', failure: this.#read ? malformedReply('it holds no message') : emptyReply() };
  }

  #readPayload(payload: JsonObject, events: ChatEvent[]): void {
    // A relay may drop the type of a whole message.
    switch (payload.type ?? (Array.isArray(payload.content) && 'message')) {
      case 'message':
        this.#readWhole(payload, events);
        break;
      case 'message_start':
        if (isObject(payload.message)) this.#readStart(payload.message, events);
        break;
      case 'content_block_start':
        this.#blocks.start(payload, events);
        break;
      case 'content_block_delta':
        this.#blocks.delta(payload, events);
        break;
      case 'content_block_stop':
        this.#blocks.stop(payload, events);
        break;
      case 'message_delta':
        this.#readEnd(isObject(payload.delta) ? payload.delta : {}, payload.usage, events);
        break;
      case 'message_stop':
        this.#blocks.stopAll(events);
        this.#ended = true;
    }
  }

  #readWhole(message: JsonObject, events: ChatEvent[]): void {
    this.#readStart(message, events);
    const content = Array.isArray(message.content) ? message.content : [];
    for (const [index, content_block] of content.entries()) {
      this.#blocks.start({ index, content_block }, events);
      this.#blocks.stop({ index }, events);
    }
    this.#readEnd(message, undefined, events);
    this.#ended = true;
  }

  #readStart(message: JsonObject, events: ChatEvent[]): void {
    if (!this.#started) {
      const id = nonEmptyString(message.id);
      const model = nonEmptyString(message.model);
      this.#started = true;
      events.push({ type: 'start', ...(id && { id }), ...(model && { model }) });
    }
    this.#readUsage(message.usage, events);
  }

  #readEnd(delta: JsonObject, usage: unknown, events: ChatEvent[]): void {
    this.#blocks.stopAll(events);
    this.#readUsage(usage, events);
    const raw = nonEmptyString(delta.stop_reason);
    if (this.#finish || raw === undefined) return;
    this.#finish = finishReasons.get(raw) ?? 'other';
    if (raw === 'refusal') readRefusal(delta.stop_details, events);
    events.push({ type: 'finish', choice: 0, reason: this.#finish, raw });
  }

  #readUsage(usage: unknown, events: ChatEvent[]): void {
    if (isObject(usage) && this.#counts.add(usage)) events.push({ type: 'usage', usage: this.#counts.usage });
  }
}

/** The text of a delta. Most events differ only in it. */
export function changingDelta(payload: unknown): ChangingText | undefined {
  return isObject(payload) ? textMember(payload.delta, 'text', 'thinking') : undefined;
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
]);

function readRefusal(details: unknown, events: ChatEvent[]): void {
  if (!isObject(details)) return;
  const text = nonEmptyString(details.explanation) ?? nonEmptyString(details.category);
  if (text) events.push({ type: 'refusal', choice: 0, text });
}
