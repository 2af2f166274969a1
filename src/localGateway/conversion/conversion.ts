import { type JsonObject, parseForWriting } from '../../base/json.ts';
import { type ServedFormat, servedFormats } from '../../wire/apis/servedFormats.ts';
import { shortenName } from '../../wire/apis/shared/functionTools.ts';
import { type CacheSupport, findCacheSupport } from '../../wire/apis/shared/promptCaching.ts';
import type { ReceivedMessage, ReceivedRequest, Settings } from '../../wire/apis/shared/receivedRequest.ts';
import { requestForms, type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { readErrorBody } from '../../wire/failures/errorBody.ts';
import type { ThinkTags } from '../../wire/stream/thinkTags.ts';
import { type ErrorType, HttpError, invalidRequestError } from '../http/httpError.ts';
import { readBody } from '../http/requestBody.ts';
import type { ReplyFraming } from '../upstreams/upstream.ts';
import { keepAcceptedMarks } from './acceptedMarks.ts';
import type { ExpectedReply } from './assembledReply.ts';
import { ConversionNotes } from './conversionNotes.ts';
import { ConvertedStream, convertReply } from './convertedReply.ts';
import { writeConvertedRequest } from './writeConvertedRequest.ts';

/** The request of a caller without its body. */
interface CallerRequest {
  /** The model's ID at the upstream. */
  readonly model: string;
  /** Absent if the body determines it, not the route. */
  readonly framing?: ReplyFraming | undefined;
  /** How the model marks reasoning in its text; `paired` if absent. */
  readonly thinkTags?: ThinkTags | undefined;
  /** The fields for prompt caching that the upstream accepts; the rules of its format if absent. */
  readonly caching?: CacheSupport | undefined;
}

/** The details of one reply that do not depend on the body of the request. */
type ReplyDetails = Pick<ExpectedReply, 'id' | 'createdAt' | 'requestId' | 'noteCosts'>;

/** A request in the upstream's format. */
export interface ConvertedRequest {
  readonly body: object;
  /** Whether the request to the upstream is for a stream. */
  readonly isStreamed: boolean;
  /** The omitted fields, such as `metadata` or `messages[].name`. Only advisory fields are omitted. */
  readonly dropped: readonly string[];
  /**
   * Converts the body of a whole reply with a success status.
   *
   * @throws {HttpError} if the body is an error, is cut, or cannot be expressed in the caller's format
   */
  convertReply(bytes: Uint8Array, details: ReplyDetails): object;
  /** Creates the conversion of a stream. Its text does not depend on the chunk borders. */
  createStream(details: ReplyDetails): ConvertedStream;
}

/** Converts requests of one API format into another, and their replies back. */
export interface Conversion {
  /** For example `messages->chat-completions`. */
  readonly name: string;
  /**
   * Converts a request.
   *
   * @param body JSON as the caller sent it
   * @throws {HttpError} 400 with the name of the field, for an invalid request of the format, or a request that
   * would lose content or a constraint
   */
  convertRequest(body: Uint8Array, callerRequest: CallerRequest): ConvertedRequest;
}

/** @returns undefined if there is no conversion */
export function findConversion(from: TextFormatId, to: TextFormatId): Conversion | undefined {
  if (from === to || from === 'interactions' || to === 'interactions') return undefined;
  return {
    name: `${hyphenate(from)}->${hyphenate(to)}`,
    convertRequest(body, callerRequest) {
      const notes = new ConversionNotes(textFormat(to).label, callerRequest.model);
      const request = readCheckedBody(body, servedFormats[from]);
      if (from === 'messages') refuseThread(request);
      const { framing = 'whole', model, thinkTags } = callerRequest;
      const caching = callerRequest.caching ?? findCacheSupport(to, { host: '', model });
      const shared = isOpenAi(from) && isOpenAi(to) ? listSharedHints(caching) : [];
      const receivedRequest = servedFormats[from].read(request, notes, {
        shared,
        isStreamed: framing !== 'whole',
      });
      const replies = servedFormats[from].createReplies(request, framing === 'array');
      const choices = receivedRequest.settings.choices?.value ?? 1;
      const form = requestForms[to];
      const markedRequest = keepAcceptedMarks(receivedRequest, form.contentRules, caching, notes);
      const tools = new PlainToolNames(form.contentRules.toolName);
      const facts = {
        model,
        thinkTags,
        choices,
        signsCalls: replies.signsCalls,
        restoreToolName: (plain: string) => tools.findOriginal(plain),
      };
      const createExpected = (details: ReplyDetails): ExpectedReply => ({ ...details, ...facts });
      return {
        body: writeConvertedRequest(tools.renameTools(markedRequest, notes), model, form, notes),
        isStreamed: receivedRequest.isStreamed,
        dropped: notes.dropped,
        convertReply: (bytes, details) => convertReply(bytes, to, replies, createExpected(details)),
        createStream: (details) => new ConvertedStream(to, replies, createExpected(details)),
      };
    },
  };
}

/**
 * Converts an upstream's error to the gateway's own error, which the server writes in the caller's format.
 *
 * @param body the body of a reply with a failure status
 */
export function convertError(status: number, body: string): HttpError {
  const { message, words, retryDelayMs } = readErrorBody(body);
  const code = words.find((word) => /^[A-Za-z]/.test(word)) ?? 'upstream_error';
  // Only some formats have the retry time in the body.
  const wait = retryDelayMs === undefined ? undefined : String(Math.ceil(retryDelayMs / 1000));
  return new HttpError({
    status,
    message: message ?? `The upstream returned ${status}.`,
    type: selectErrorType(status),
    code,
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  });
}

function selectErrorType(status: number): ErrorType {
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'upstream_error';
}

/** Lists the hints that chat completions and responses share, except hints that the upstream is known to refuse. */
function listSharedHints({ acceptsKey }: CacheSupport): readonly string[] {
  return [
    'metadata',
    'user',
    'safety_identifier',
    'service_tier',
    'store',
    ...(acceptsKey === false ? [] : ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options']),
  ];
}

function isOpenAi(format: TextFormatId): boolean {
  return format === 'chatCompletions' || format === 'responses';
}

/** Checks a body, and returns it as it was sent: the schema's own copy lacks members such as `__proto__`. */
function readCheckedBody(body: Uint8Array, { schema, respell }: ServedFormat): JsonObject {
  readBody(body, schema);
  const request = parseForWriting(new TextDecoder().decode(body)) as JsonObject;
  if (!respell) return request;
  const respelledRequest = respell(request);
  // The schema checks members under their standard names.
  readBody(Buffer.from(JSON.stringify(respelledRequest)), schema);
  return respelledRequest;
}

/** Refuses a stored conversation. After an error with this code, the provider's library sends all messages again. */
function refuseThread({ thread }: JsonObject): void {
  if (thread == null) return;
  const message =
    'thread: conversations are not stored for a model that is served in another API format. Leave it out, and send the whole conversation in messages.';
  throw invalidRequestError(message, 'thread_unsupported_request', 'thread');
}

/** Spells the ID of a format as in the name of a conversion, such as `chat-completions`. */
export function hyphenate(format: string): string {
  return format.replaceAll(/[A-Z]/g, '-$&').toLowerCase();
}

/** Maps the names of a caller's tools to names that the upstream's format allows. */
class PlainToolNames {
  readonly #allowed: RegExp | undefined;
  readonly #byOriginal = new Map<string, string>();
  readonly #byPlain = new Map<string, string>();

  /** @param allowed the pattern of allowed names; undefined if all names are allowed */
  constructor(allowed: RegExp | undefined) {
    this.#allowed = allowed;
  }

  /** Finds the caller's name of a tool by the upstream's name. */
  findOriginal(plain: string): string {
    return this.#byPlain.get(plain) ?? plain;
  }

  /** Replaces the names that the upstream's format does not allow. */
  renameTools(request: ReceivedRequest, notes: ConversionNotes): ReceivedRequest {
    const usedNames = new Set(listToolNames(request));
    const invalid = [...usedNames].filter((name) => name !== '' && this.#allowed?.test(name) === false);
    if (invalid.length === 0) return request;
    for (const name of invalid) this.#add(name, usedNames);
    notes.drop('tools[].name');
    return {
      ...request,
      messages: request.messages.map((each) => this.#renameInMessage(each)),
      settings: this.#renameInSettings(request),
    };
  }

  #add(name: string, used: Set<string>): void {
    const letters = name.replaceAll(/[^\w-]/g, '_').replace(/^[^A-Za-z_]/, '_$&');
    const isFree = !used.has(letters) && this.#allowed?.test(letters);
    const plain = isFree ? letters : shortenName(letters, name);
    used.add(plain);
    this.#byOriginal.set(name, plain);
    this.#byPlain.set(plain, name);
  }

  #findPlain(name: string): string {
    return this.#byOriginal.get(name) ?? name;
  }

  #renameInMessage(message: ReceivedMessage): ReceivedMessage {
    const parts = message.parts.map((part) =>
      part.type === 'toolCall' || part.type === 'toolResult'
        ? { ...part, name: this.#findPlain(part.name) }
        : part,
    );
    return { ...message, parts };
  }

  #renameInSettings({ settings }: ReceivedRequest): Settings {
    const { tools, toolChoice } = settings;
    const names = toolChoice?.value.names?.map((name) => this.#findPlain(name));
    const renamedTools = tools?.value.map((tool) => ({ ...tool, name: this.#findPlain(tool.name) }));
    return {
      ...settings,
      ...(tools && renamedTools && { tools: { ...tools, value: renamedTools } }),
      ...(toolChoice && names && { toolChoice: { ...toolChoice, value: { ...toolChoice.value, names } } }),
    };
  }
}

function listToolNames({ messages, settings }: ReceivedRequest): readonly string[] {
  const parts = messages.flatMap((message) => message.parts);
  return [
    ...(settings.tools?.value ?? []).map(({ name }) => name),
    ...(settings.toolChoice?.value.names ?? []),
    ...parts.flatMap((part) => (part.type === 'toolCall' || part.type === 'toolResult' ? part.name : [])),
  ];
}
