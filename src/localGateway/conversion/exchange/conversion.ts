import { type JsonObject, parseForWriting } from '../../../base/json.ts';
import { requestForms } from '../../../wire/apis/requestForms.ts';
import { type ServedFormat, servedFormats } from '../../../wire/apis/servedFormats.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import { readErrorBody } from '../../../wire/errorBody.ts';
import { type ErrorType, HttpError, invalidRequest } from '../../http/httpError.ts';
import { readBody } from '../../http/readBody.ts';
import type { ReplyFraming } from '../../upstreams/upstream.ts';
import { ConversionNotes } from '../notes.ts';
import { PlainToolNames } from '../toolNames.ts';
import { writeRequest } from '../writeRequest.ts';
import { ConvertedStream, convertedReply } from './convertedReply.ts';
import type { ExpectedReply } from './replyBody.ts';

/** The formats that are converted into each other. */
export type ConvertibleFormat = Exclude<TextFormatId, 'interactions'>;

/** What a caller asked, beside the body. */
export interface Asking {
  /** The model's id at the upstream. */
  readonly model: string;
  /** Where the caller's route decides it and not the body. */
  readonly framing?: ReplyFraming | undefined;
}

/** The names of one reply, where the upstream gives none. */
export type ReplyNames = Pick<ExpectedReply, 'id' | 'createdAt' | 'requestId'>;

/** A request in the upstream's format. */
export interface ConvertedRequest {
  readonly body: object;
  /** Whether the upstream is asked for a stream. */
  readonly streamed: boolean;
  /** The fields that were left out, such as `metadata` or `messages[].name`. Each only advises. */
  readonly dropped: readonly string[];
  /**
   * The body of a whole reply with a good status.
   *
   * @throws {HttpError} when it is an error, is cut, or has no place in the caller's format
   */
  reply(bytes: Uint8Array, names: ReplyNames): object;
  /** Converts a stream. Its text is the same whatever pieces the bytes come in. */
  stream(names: ReplyNames): ConvertedStream;
}

/** Converts requests of one API format into another, and replies back. */
export interface Conversion {
  /** Such as `messages->chat-completions`. */
  readonly name: string;
  /**
   * @param body JSON as the caller sent it
   * @throws {HttpError} 400 that names the field, for what is no request of the format, and for what would lose
   * content or a constraint
   */
  request(body: Uint8Array, asking: Asking): ConvertedRequest;
}

/** @returns undefined where there is no conversion */
export function conversionBetween(from: TextFormatId, to: TextFormatId): Conversion | undefined {
  if (from === to || from === 'interactions' || to === 'interactions') return undefined;
  const shared = isOpenAi(from) && isOpenAi(to) ? sharedHints : [];
  return {
    name: `${hyphenated(from)}->${hyphenated(to)}`,
    request(body, asking) {
      const notes = new ConversionNotes(to, asking.model);
      const request = checkedBody(body, servedFormats[from]);
      if (from === 'messages') refuseThread(request);
      const { framing = 'whole' } = asking;
      const asked = servedFormats[from].read(request, notes, { shared, streamed: framing !== 'whole' });
      const replies = servedFormats[from].replies(request, framing === 'array');
      const choices = asked.settings.choices?.value ?? 1;
      const form = requestForms[to];
      const tools = new PlainToolNames(form.admission.toolName);
      const facts = {
        ...{ model: asking.model, choices, signsCalls: replies.signsCalls },
        toolName: (plain: string) => tools.original(plain),
      };
      const expected = (names: ReplyNames): ExpectedReply => ({ ...names, ...facts });
      return {
        body: writeRequest(tools.renamed(asked, notes), asking.model, form, notes),
        streamed: asked.streamed,
        dropped: notes.dropped,
        reply: (bytes, names) => convertedReply(bytes, to, replies, expected(names)),
        stream: (names) => new ConvertedStream(to, replies, expected(names)),
      };
    },
  };
}

/**
 * The error of an upstream in words of the gateway, which each format writes in its own way.
 *
 * @param body of a reply whose status is no good one
 */
export function convertedError(status: number, body: string): HttpError {
  const { message, words, retryDelayMs } = readErrorBody(body);
  const code = words.find((word) => /^[A-Za-z]/.test(word)) ?? 'upstream_error';
  // Only some formats tell in the body when to come back.
  const wait = retryDelayMs === undefined ? undefined : String(Math.ceil(retryDelayMs / 1000));
  return new HttpError({
    status,
    message: message ?? `The upstream answered ${status}.`,
    type: typeOf(status),
    code,
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  });
}

function typeOf(status: number): ErrorType {
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'upstream_error';
}

/** Hints that chat completions and responses both have. */
const sharedHints: readonly string[] = [
  ...['metadata', 'user', 'safety_identifier', 'service_tier', 'store'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
];

function isOpenAi(format: TextFormatId): boolean {
  return format === 'chatCompletions' || format === 'responses';
}

/** The body as it was sent: the schema's own copy lacks members of some names. */
function checkedBody(body: Uint8Array, { schema, respell }: ServedFormat): JsonObject {
  readBody(body, schema);
  const sent = parseForWriting(new TextDecoder().decode(body)) as JsonObject;
  if (!respell) return sent;
  const request = respell(sent);
  // What had other names is checked by these.
  readBody(Buffer.from(JSON.stringify(request)), schema);
  return request;
}

/** The library of the provider sends the whole conversation after an error with this code. */
function refuseThread({ thread }: JsonObject): void {
  if (thread == null) return;
  const message =
    'thread: conversations are not held for a model that is served in another API format. Leave it out, and send the whole conversation in messages.';
  throw invalidRequest(message, 'thread_unsupported_request', 'thread');
}

function hyphenated(format: TextFormatId): string {
  return textFormat(format)
    .id.replaceAll(/[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}
