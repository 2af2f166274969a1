import { isObject, parseJson } from '../../base/json.ts';
import type { ChatEvent } from '../chatEvent.ts';
import { explain } from '../explanations/explanation.ts';
import { readErrorBody } from '../failures/errorBody.ts';
import {
  createEmptyReplyFailure,
  createMalformedReplyFailure,
  createPlainTextFailure,
  createTooLargeReplyFailure,
  createWebPageFailure,
  type FailureDetails,
  readInnerFailure,
} from '../failures/replyFailure.ts';
import { type Conclusion, DecodedReply, type FormatDecoder } from './decodedReply.ts';
import { JsonArrayReader, StrayJson } from './jsonArray.ts';
import { endsEvent, findEventEnd, RepeatedEvents } from './repeatedEvents.ts';
import { dropFieldNames, maxEventLength, type ServerSentEvent, SseReader } from './sse.ts';
import type { ThinkTags } from './thinkTags.ts';

const endMark = '[DONE]';
const maxDocumentLength = 64 * 1024 * 1024;
const maxLeadingSpace = 64 * 1024;

/** After this many consecutive events that do not repeat, the rest of a write is read without comparing. */
const maxSingleEvents = 4;

/**
 * Decodes the bytes of one reply into events: synchronously, in one batch for each write. The events do not depend
 * on how the bytes were split. It recognizes streams and documents by their bytes, independent of the request.
 */
export class ReplyDecoder {
  readonly #format: FormatDecoder;
  readonly #reply: DecodedReply;
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #sse = new SseReader((event) => this.#readEvent(event));
  readonly #stream = new StrayJson(
    (lines) => this.#sse.read(lines),
    (json) => this.#readStray(json),
  );
  readonly #array = new JsonArrayReader((json) => this.#readElement(json));
  readonly #repeated: RepeatedEvents | undefined;
  /** Whether an event begins at the next character. */
  #isBetweenEvents = false;
  /** The payload of the last event that was parsed. */
  #payload: unknown;
  #kind: BodyKind | undefined;
  /** White space while the kind is unknown; later the text of a document or a page. */
  readonly #held = new TextBuffer();
  #payloads = 0;
  #hasEnd = false;
  #isFlushing = false;
  #failure: FailureDetails | undefined;

  constructor(format: FormatDecoder, thinkTags?: ThinkTags) {
    this.#format = format;
    this.#repeated = format.findChanging && new RepeatedEvents(format.findChanging);
    this.#reply = new DecodedReply(format, thinkTags);
  }

  /** Grows with every piece of data, but not with comments and white space. */
  get payloads(): number {
    return this.#payloads;
  }

  /** Whether the end mark or a failure was read. Later bytes are ignored. */
  get isDone(): boolean {
    return this.#hasEnd || this.#failure !== undefined || this.#reply.hasEnded;
  }

  /** Whether the gateway continues the reply in the background. */
  get isPending(): boolean {
    return this.#reply.isPending;
  }

  /** Decodes the next bytes of the reply. Never throws: failures are in `conclude`. */
  write(bytes: Uint8Array): readonly ChatEvent[] {
    if (!this.isDone) this.#readText(this.#utf8.decode(bytes, { stream: true }));
    return this.#reply.takeEvents(this.isDone);
  }

  /** Reads incomplete data at the end. Call it after the last write. */
  flush(): readonly ChatEvent[] {
    if (this.isDone) return [];
    this.#isFlushing = true;
    this.#readText(this.#utf8.decode());
    if (this.#kind === 'document') this.#readDocument();
    else this.#sse.flush();
    return this.#reply.takeEvents(true);
  }

  /** How the reply ended. Call it after `flush`. */
  conclude(): Conclusion {
    const isPlainText = this.#isPlainText;
    const conclusion = this.#createConclusion(isPlainText);
    return this.#kind === 'document' || isPlainText ? this.#addBody(conclusion) : conclusion;
  }

  #createConclusion(isPlainText: boolean): Conclusion {
    if (this.#failure) return { kind: 'failed', failure: this.#failure };
    if (isPlainText) return { kind: 'failed', failure: this.#createPlainTextFailure() };
    switch (this.#kind) {
      case undefined:
        return { kind: 'failed', failure: createEmptyReplyFailure() };
      case 'html':
        return { kind: 'failed', failure: createWebPageFailure(this.#held.text) };
      case 'document':
        if (this.#hasEnd) break;
        return {
          kind: 'interrupted',
          failure: createMalformedReplyFailure(explain('reply-json-incomplete')),
        };
      case 'array':
        if (this.#payloads > 0) break;
        return { kind: 'failed', failure: createEmptyReplyFailure() };
    }
    return this.#reply.conclude(this.#hasEnd);
  }

  /** Whether the reply is text that is neither JSON nor a stream. */
  get #isPlainText(): boolean {
    if (this.#payloads > 0) return false;
    if (this.#kind === 'array') return isBracketedMessage(this.#held.text);
    return this.#kind === 'lines' && !isEventStream(this.#held.text);
  }

  #createPlainTextFailure(): FailureDetails {
    const text = this.#held.text.trim();
    return text === 'null' ? createEmptyReplyFailure() : createPlainTextFailure(text);
  }

  /** Adds the body, which is small unless it is a stream. */
  #addBody(conclusion: Conclusion): Conclusion {
    if (!('failure' in conclusion)) return conclusion;
    const body = this.#held.text.slice(0, maxStartLength);
    // A reply that is too large is not an error of the gateway, and its body does not explain the failure.
    const isTooLarge = conclusion.failure.reason === 'too-large';
    const gatewayMessage = isTooLarge ? undefined : readErrorBody(body).message;
    return {
      ...conclusion,
      failure: { ...(gatewayMessage && { gatewayMessage }), ...conclusion.failure, body },
    };
  }

  #readText(text: string): void {
    switch (this.#kind) {
      case undefined:
        this.#readStart(text);
        break;
      case 'document':
        this.#payloads++;
        this.#hold(text, maxDocumentLength);
        break;
      case 'html':
        this.#holdStart(text);
        break;
      case 'array':
        this.#holdStart(text);
        this.#readArray(text);
        break;
      case 'lines':
        this.#holdStart(text);
        this.#readStream(text);
    }
  }

  #readStart(text: string): void {
    this.#kind = detectBodyKind(text);
    if (this.#kind === undefined) this.#hold(text, maxLeadingSpace);
    else this.#readText(this.#held.drain() + text);
  }

  #hold(text: string, limit: number): void {
    this.#held.add(text);
    if (this.#held.length > limit)
      this.#failure = createTooLargeReplyFailure(explain('billed-reply-too-large'));
  }

  /** The text is not needed after the first payload. */
  #holdStart(text: string): void {
    if (this.#payloads > 0) {
      if (this.#held.length > 0) this.#held.clear();
    } else this.#held.addStart(text);
  }

  #readStream(text: string): void {
    if (this.#repeated) this.#readEvents(this.#repeated, text);
    else this.#readPlain(text);
  }

  /** Reads events that repeat an earlier event without parsing them. The result is the same as that of `#readPlain`. */
  #readEvents(repeated: RepeatedEvents, text: string): void {
    let at = 0;
    for (let singleEvents = 0; at < text.length && !this.isDone; singleEvents++) {
      if (this.#isBetweenEvents) {
        const from = at;
        at = repeated.read(text, from, this.#readRepeated);
        if (at > from) singleEvents = 0;
      }
      const end = singleEvents < maxSingleEvents ? findEventEnd(text, at) : text.length;
      if (at < end) this.#readSingle(repeated, text.slice(at, end), singleEvents < maxSingleEvents);
      at = end;
    }
  }

  readonly #readRepeated = (payload: unknown): void => {
    if (this.isDone) return;
    this.#payloads++;
    this.#readPayload(payload);
  };

  #readSingle(repeated: RepeatedEvents, text: string, isOneEvent: boolean): void {
    const isSingle = isOneEvent && this.#isBetweenEvents;
    const payloads = this.#payloads;
    this.#payload = undefined;
    this.#readPlain(text);
    this.#isBetweenEvents = endsEvent(text) && !this.#stream.isWithinJson;
    const isRead = isSingle && this.#isBetweenEvents && this.#payloads === payloads + 1 && !this.isDone;
    if (isRead && this.#payload !== undefined) repeated.learn(text, this.#payload);
  }

  #readPlain(text: string): void {
    this.#stream.read(text);
    this.#checkSize(this.#sse.hasOverflowed || this.#stream.hasOverflowed);
  }

  #readArray(text: string): void {
    this.#array.read(text);
    this.#checkSize(this.#array.hasOverflowed);
  }

  #checkSize(hasOverflowed: boolean): void {
    if (!hasOverflowed || this.isDone) return;
    this.#failure = createTooLargeReplyFailure(explain('event-too-large', { maxMiB: maxEventLength >> 20 }));
  }

  #readEvent({ event, data }: ServerSentEvent): void {
    if (this.isDone) return;
    this.#payloads++;
    if (event?.startsWith('error')) this.#failure = readInnerFailure(parseJson(data) ?? data);
    else this.#readData(data.startsWith('{') ? data : dropFieldNames(data).trim());
    // The end mark of older interactions, with any data.
    if (event === 'done') this.#hasEnd = true;
  }

  #readData(data: string): void {
    if (data === '') return;
    if (data === endMark) {
      this.#hasEnd = true;
      return;
    }
    const payload = this.#format.parse(data);
    this.#payload = payload;
    if (payload !== undefined) this.#readPayload(payload);
    // The last event of a truncated stream is rarely complete: the truncation is the failure.
    else if (!this.#isFlushing) this.#failure = createMalformedReplyFailure(explain('event-not-json'));
  }

  #readElement(json: string): void {
    if (this.isDone) return;
    this.#payloads++;
    const element = this.#format.parse(json);
    if (element === undefined) this.#failure = createMalformedReplyFailure(explain('element-not-json'));
    else this.#readPayload(element);
  }

  /** A bare value ends the previous event. Other text is a line without meaning. */
  #readStray(json: string): void {
    this.#sse.flush();
    const value = parseJson(json);
    if (this.isDone || value === undefined) return;
    this.#payloads++;
    this.#readPayload(value);
  }

  #readDocument(): void {
    const document = this.#format.parse(this.#held.text);
    this.#hasEnd = document !== undefined;
    if (typeof document === 'string') this.#failure = readInnerFailure(document);
    else this.#readPayload(document);
  }

  #readPayload(payload: unknown): void {
    if (isObject(payload)) this.#failure ??= this.#reply.read(payload);
    else if (Array.isArray(payload))
      for (const element of payload.filter(isObject)) this.#readPayload(element);
  }
}

/** Characters from the beginning of a reply, enough to explain why it cannot be read. */
const maxStartLength = 64 * 1024;

/** The text of a reply while its kind is unknown: a whole document, or the beginning of another body. */
class TextBuffer {
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The text without leading white space. */
  get text(): string {
    return this.#pieces.join('').trimStart();
  }

  add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }

  /** Adds text up to about twice `maxStartLength`. */
  addStart(text: string): void {
    if (this.#length < maxStartLength) this.add(text.slice(0, maxStartLength));
  }

  /** Returns the text with its white space, and clears it. */
  drain(): string {
    const text = this.#pieces.join('');
    this.clear();
    return text;
  }

  clear(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}

/**
 * The kind of a body. Gateways send each kind with any Content-Type, so only the first character other than white
 * space counts. `lines` is an event stream, or plain text.
 */
type BodyKind = 'lines' | 'document' | 'array' | 'html';

/** The kind of a body by its beginning; undefined if it is only white space so far. */
export function detectBodyKind(start: string): BodyKind | undefined {
  const first = start[start.search(/\S/)];
  if (first === undefined) return undefined;
  if (first === '[') return 'array';
  if (first === '{' || first === '"') return 'document';
  return first === '<' ? 'html' : 'lines';
}

/** A comment, or a field of event streams, perhaps truncated. */
const streamLine = /^(?::|(?:data|event|id|retry)(?::|$)|(?:da?|dat|ev?|eve|even|i|re?|ret|retr)$)/;

/**
 * Whether text without events is an event stream, such as a stream that was truncated during keep-alive comments:
 * every line is valid in one, and there is more than a single comment.
 */
function isEventStream(text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/);
  const nonEmptyLines = lines.filter((line) => line !== '');
  if (!nonEmptyLines.every((line) => streamLine.test(line))) return false;
  const isRemark = nonEmptyLines.length === 1 && nonEmptyLines[0]?.startsWith(':') && lines.length < 3;
  return !isRemark;
}

/** Whether text that begins with a bracket is a message, such as `[error] no upstream`, instead of an array. */
function isBracketedMessage(text: string): boolean {
  return /^\[\s*[^\s{["\]]/.test(text);
}
