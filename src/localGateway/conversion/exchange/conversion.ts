import type * as z from 'zod';
import { parseForWriting } from '../../../base/json.ts';
import { chatCompletionsRequest } from '../../../wire/apis/chatCompletions/request.ts';
import { chatCompletionsReplies } from '../../../wire/apis/chatCompletions/writeReply.ts';
import { contentGenerationRequest } from '../../../wire/apis/contentGeneration/request.ts';
import { contentGenerationReplies } from '../../../wire/apis/contentGeneration/writeReply.ts';
import { customNames } from '../../../wire/apis/customTools.ts';
import { messagesRequest } from '../../../wire/apis/messages/request.ts';
import { messagesReplies } from '../../../wire/apis/messages/writeReply.ts';
import type { ReplyForm } from '../../../wire/apis/replyForm.ts';
import { requestForms } from '../../../wire/apis/requestForms.ts';
import { responsesRequest } from '../../../wire/apis/responses/request.ts';
import { responsesReplies } from '../../../wire/apis/responses/writeReply.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import { readErrorBody } from '../../../wire/errorBody.ts';
import { type ErrorType, HttpError } from '../../http/httpError.ts';
import { readBody } from '../../http/readBody.ts';
import type { ReplyFraming } from '../../upstreams/upstream.ts';
import { ConversionNotes } from '../notes.ts';
import type { AskedRequest } from '../requests/askedRequest.ts';
import { withPlainNames } from '../requests/protoNames.ts';
import { readChatCompletions } from '../requests/readChatCompletions.ts';
import { readContentGeneration } from '../requests/readContentGeneration.ts';
import { readMessages } from '../requests/readMessages.ts';
import { readResponses } from '../requests/readResponses.ts';
import { PlainToolNames } from '../requests/toolNames.ts';
import { writeRequest } from '../requests/writeRequest.ts';
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
      const { asked, replies } = callers[from](body, asking, notes, shared);
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

/** A request with the way in which its caller reads replies. */
interface ReadRequest {
  readonly asked: AskedRequest;
  readonly replies: ReplyForm;
}

type ReadCaller = (
  body: Uint8Array,
  asking: Asking,
  notes: ConversionNotes,
  shared: readonly string[],
) => ReadRequest;

function caller<Schema extends z.ZodType>(
  schema: Schema,
  read: (
    request: z.infer<Schema>,
    asking: Asking,
    notes: ConversionNotes,
    shared: readonly string[],
  ) => ReadRequest,
): ReadCaller {
  return (body, asking, notes, shared) => read(checkedBody(body, schema), asking, notes, shared);
}

/** The body as it was sent: the schema's own copy lacks members of some names. */
function checkedBody<Schema extends z.ZodType>(body: Uint8Array, schema: Schema): z.infer<Schema> {
  readBody(body, schema);
  return parseForWriting(new TextDecoder().decode(body)) as z.infer<Schema>;
}

const callers: Readonly<Record<ConvertibleFormat, ReadCaller>> = {
  chatCompletions: caller(chatCompletionsRequest, (request, _, notes, shared) => ({
    asked: readChatCompletions(request, notes, shared),
    replies: chatCompletionsReplies(
      request.stream_options?.include_usage === true,
      customNames(request.tools),
    ),
  })),
  contentGeneration(body, { framing = 'whole' }, notes) {
    const request = withPlainNames(checkedBody(body, contentGenerationRequest));
    // What had other names is checked by these.
    const checked = checkedBody(Buffer.from(JSON.stringify(request)), contentGenerationRequest);
    return {
      asked: readContentGeneration(checked, notes, framing !== 'whole'),
      replies: contentGenerationReplies(framing === 'array' ? 'array' : 'events'),
    };
  },
  messages: caller(messagesRequest, (request, _, notes) => ({
    asked: readMessages(request, notes),
    replies: messagesReplies,
  })),
  responses: caller(responsesRequest, (request, _, notes, shared) => ({
    asked: readResponses(request, notes, shared),
    replies: responsesReplies(request),
  })),
};

function hyphenated(format: TextFormatId): string {
  return textFormat(format)
    .id.replaceAll(/[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}
