import type { IncomingHttpHeaders } from 'node:http';
import {
  isObject,
  type JsonObject,
  nonEmptyString,
  parseExactJson,
  parseJson,
  scalarText,
} from '../../base/json.ts';
import { resolveResultUrl } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { isNonResult } from '../../wire/apis/taskRecord/taskResults.ts';
import { taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { replaceAddresses, replaceValues } from '../json/jsonEdit.ts';
import { type Span, scanObject } from '../json/jsonFields.ts';
import type { UpstreamReply } from '../upstreams/upstream.ts';
import { createResultPath } from './servedTask.ts';
import { listResultAddresses } from './taskRecord.ts';
import { isAtUpstream, type UpstreamTask } from './upstreamTask.ts';

type StreamedTask = Pick<UpstreamTask, 'id' | 'upstreamId' | 'earlierId' | 'format'>;

/**
 * Replaces the upstream's IDs in the events of a task by this gateway's IDs.
 *
 * @param addresses absent if the addresses of results are not replaced
 */
export async function* rewriteEvents(
  events: AsyncIterable<Buffer>,
  task: StreamedTask,
  addresses?: ResultAddresses,
): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    const rewrittenEvent = rewriteEvent(event, task);
    yield addresses ? addresses.replaceInEvent(rewrittenEvent) : rewrittenEvent;
  }
}

/** Reads the record in an event of a task's stream; undefined if the event does not contain a record. */
export function readRecordInEvent(
  event: Buffer,
  { format }: Pick<UpstreamTask, 'format'>,
): JsonObject | undefined {
  const span = findRecordSpan(event, format);
  const record = span && parseExactJson(event.subarray(span.start, span.end).toString());
  return isObject(record) ? record : undefined;
}

/** Replaces the IDs in an event. All other bytes are unchanged. */
function rewriteEvent(event: Buffer, { id, upstreamId, earlierId, format }: StreamedTask): Uint8Array {
  const span = findRecordSpan(event, format);
  if (!span) return event;
  const { continuesRequestField } = taskRecordFormats[format];
  let record: Uint8Array = event.subarray(span.start, span.end);
  record = replaceMember(record, 'id', id, (value) => scalarText(value) === upstreamId);
  if (continuesRequestField !== undefined && earlierId !== undefined)
    record = replaceMember(record, continuesRequestField, earlierId, (value) => typeof value === 'string');
  return Buffer.concat([event.subarray(0, span.start), record, event.subarray(span.end)]);
}

/** Finds the position of the record in an event whose data is one line. */
function findRecordSpan(event: Buffer, format: UpstreamTask['format']): Span | undefined {
  const { eventMember: member } = taskRecordFormats[format];
  // Almost all events are pieces of text, and do not contain a record.
  if (member === undefined || !event.includes(`"${member}"`)) return undefined;
  const line = /(?:^|[\r\n])data: ?([^\r\n]*)/d.exec(event.toString('latin1'));
  const [start, end] = line?.indices?.[1] ?? [0, 0];
  const span = scanObject(event.subarray(start, end), [member])?.fields.get(member)?.at(-1);
  return span && { start: start + span.start, end: start + span.end };
}

function replaceMember(
  record: Uint8Array,
  name: string,
  value: string,
  shouldReplace: (value: unknown) => boolean,
): Uint8Array {
  const spans = scanObject(record, [name])?.fields.get(name) ?? [];
  const last = spans.at(-1);
  if (!last || !shouldReplace(JSON.parse(Buffer.from(record.subarray(last.start, last.end)).toString())))
    return record;
  return replaceValues(record, spans, value);
}

/**
 * The addresses of results in the events of a task. Some addresses arrive before the record of the task contains
 * the results.
 */
export class ResultAddresses {
  readonly #id: string;
  readonly #address: string;
  readonly #origins: readonly string[];
  readonly #resultAddresses: Map<string, string>;
  /** The indexes of steps without results, such as the input. */
  readonly #nonResultSteps = new Set<unknown>();
  readonly #seen: Set<string>;

  /**
   * @param address the gateway's address as the caller knows it
   * @param origins the upstream's own origins, whose files need its key
   */
  constructor(task: UpstreamTask, address: string, origins: readonly string[] = []) {
    this.#id = task.id;
    this.#address = address;
    this.#origins = origins;
    this.#resultAddresses = new Map(listResultAddresses(task, address));
    this.#seen = new Set(task.report.results.map(({ url = '' }) => url));
  }

  /** Replaces the addresses of all results at the upstream by addresses of the gateway. */
  replaceInEvent(event: Uint8Array): Uint8Array {
    const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
    // Most events are pieces of text, and do not contain an address.
    if (!bytes.includes('"step.start"') && !bytes.includes('uri"') && !bytes.includes('url"')) return event;
    const data = /(?:^|[\r\n])data: ?([^\r\n]*)/.exec(bytes.toString())?.[1];
    const value = parseJson(data ?? '');
    if (!isObject(value)) return event;
    if (isObject(value.step) && isNonResult(value.step)) this.#nonResultSteps.add(value.index);
    if (value.index === undefined || !this.#nonResultSteps.has(value.index)) this.#collectAddresses(value, 0);
    return this.#resultAddresses.size === 0
      ? event
      : replaceAddresses(event, (text) => this.#resultAddresses.get(text));
  }

  /** Results are numbered in the order of their appearance, as in the record. */
  #collectAddresses(value: unknown, depth: number): void {
    if (depth > maxDepth) return;
    if (Array.isArray(value)) for (const each of value) this.#collectAddresses(each, depth + 1);
    if (!isObject(value) || isNonResult(value)) return;
    const url = nonEmptyString(value.uri ?? value.url);
    if (url !== undefined) this.#addAddress(url);
    else for (const each of Object.values(value)) this.#collectAddresses(each, depth + 1);
  }

  #addAddress(url: string): void {
    if (this.#seen.has(url) || !/^https?:/i.test(url) || !URL.canParse(url)) return;
    const index = this.#seen.size;
    this.#seen.add(url);
    if (isAtUpstream(new URL(url), this.#origins))
      this.#resultAddresses.set(url, resolveResultUrl(createResultPath(this.#id, index), this.#address));
  }
}

/** Deeper values of an event are not searched. */
const maxDepth = 16;

export function isEventStreamReply({ headers }: Pick<UpstreamReply, 'headers'>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** Replaces the body of a reply by a body of unknown length. */
export function replaceBody(
  { status, headers }: Pick<UpstreamReply, 'status' | 'headers'>,
  body: UpstreamReply['body'],
): UpstreamReply {
  const { 'content-length': _, ...others } = headers;
  return { status, headers: others, body };
}

/** Removes the headers that allow compression, so that the gateway can read the reply. */
export function removeEncodings(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...others } = headers;
  return others;
}

/** The most bytes of one event. */
const maxEventBytes = 64 * 1024 * 1024;

/** Splits the bytes of a stream into events. */
class EventSplitter {
  #pieces: Buffer[] = [];
  #size = 0;
  /** The last characters of the incomplete event. An empty line may begin with them. */
  #tail = '';

  /** Returns the events that these bytes complete, each with the empty line at its end. */
  *split(bytes: Buffer): Generator<Buffer> {
    const before = this.#tail.length;
    const text = this.#tail + bytes.toString('latin1');
    let start = 0;
    for (const { index, 0: line } of text.matchAll(/\r\n\r\n|\n\n|\r\r/g)) {
      const end = index + line.length - before;
      yield Buffer.concat([...this.#pieces, bytes.subarray(start, end)]);
      this.#pieces = [];
      this.#size = 0;
      start = end;
    }
    this.#append(bytes.subarray(start));
    this.#tail = text.slice(start === 0 ? 0 : before + start).slice(-3);
  }

  /** The bytes after the last complete event. */
  get rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #append(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > maxEventBytes) throw new RangeError('an event is longer than 64 MiB');
    if (bytes.length > 0) this.#pieces.push(bytes);
  }
}

/**
 * Splits a stream into its events, byte for byte, each as soon as it is complete.
 *
 * @throws the errors of the body, and an error if an event is too long
 */
export async function* splitEvents(body: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  const splitter = new EventSplitter();
  for await (const piece of body) yield* splitter.split(toBuffer(piece));
  const { rest } = splitter;
  if (rest.length > 0) yield rest;
}

function toBuffer(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece);
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
