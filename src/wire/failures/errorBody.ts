import {
  isObject,
  type JsonObject,
  nonEmptyString,
  objectsIn,
  parseJson,
  scalarText,
} from '../../base/json.ts';
import type { ReplyHeaders } from '../../base/replyHeaders.ts';
import { truncate } from '../../base/truncate.ts';
import { readDetailsDelay, readMessageDelay } from './retryHint.ts';

/** The content of an error body in any known form. */
export interface ErrorReport {
  /** The gateway's own message for people. */
  readonly message?: string;
  /** Codes, types, states and reasons. */
  readonly words: readonly string[];
  /** The first number among the codes, often the HTTP status of an upstream. */
  readonly code?: number;
  /** The field of the request that the error names, as a path with dots. */
  readonly field?: string;
  /** The wait in milliseconds, if the body reports one. */
  readonly retryDelayMs?: number;
  /** Headers of the provider's reply, which OpenRouter passes on in the body. */
  readonly headers?: ReplyHeaders;
  /** Whether the body is a web page instead of a gateway's reply. */
  readonly isHtml?: true;
}

const maxMessageLength = 2048;
const maxUnwraps = 2;

/** Reads an error body: JSON of any known form, a web page, plain text or nothing. Never throws. */
export function readErrorBody(body: string): ErrorReport {
  const text = body.trim();
  if (text.startsWith('<')) return { ...toMessageField(readPageTitle(text)), words: [], isHtml: true };
  const value = parseJson(text);
  return value === undefined ? { ...toMessageField(text), words: [] } : readErrorValue(value);
}

/** Reads a parsed error, such as one inside a stream. Never throws. */
export function readErrorValue(error: unknown, unwraps = maxUnwraps): ErrorReport {
  const first = findFirst(error);
  if (typeof first === 'string') return readErrorMessage(first, unwraps);
  if (!isObject(first)) return { words: [] };
  const value = unwrapCloudError(first);

  const detail = findError(value) ?? value;
  const message = findMessage(value);
  const inner = message === undefined ? { words: [] } : readErrorMessage(message, unwraps);
  const codes = [detail.code, value.code, value.error_code, readBaseResponse(value).status_code];
  const code = codes.map(readNumber).find((number) => number !== undefined) ?? inner.code;
  const retryDelayMs = readDetailsDelay(value, detail) ?? inner.retryDelayMs ?? readMessageDelay(message);
  const field = findField(value, detail, message) ?? inner.field;
  const headers = isObject(detail.metadata) ? readHeaders(detail.metadata.headers) : undefined;
  return {
    ...inner,
    words: [...collectWords(value, detail), ...inner.words],
    ...(code !== undefined && { code }),
    ...(field !== undefined && { field }),
    ...(retryDelayMs !== undefined && { retryDelayMs }),
    ...(headers && { headers }),
  };
}

const maxHeaders = 50;

function readHeaders(value: unknown): ReplyHeaders | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).slice(0, maxHeaders);
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), scalarText(text)]));
}

/** Tencent's and Volcengine's clouds write `{"Response":{"Error":{"Code":…,"Message":…}}}`. */
function unwrapCloudError(value: JsonObject): JsonObject {
  const head = [value.Response, value.ResponseMetadata].find(isObject);
  if (!isObject(head?.Error)) return value;
  const { Code: code, Message: message } = head.Error;
  return { error: { code, message } };
}

/** The error in a body. Cloudflare writes a list of errors. */
function findError({ error }: JsonObject): JsonObject | undefined {
  const first = findFirst(error);
  return isObject(first) ? first : undefined;
}

/** The first value of nested lists, at any depth. */
function findFirst(value: unknown): unknown {
  let first = value;
  while (Array.isArray(first)) first = first[0];
  return first;
}

/** Whether a payload without an error reports a failure by its code. */
export function reportsFailure(payload: JsonObject): boolean {
  const codes = [payload.code, payload.error_code, readBaseResponse(payload).status_code];
  return payload.success === false || codes.some(isFailureCode);
}

function isFailureCode(code: unknown): boolean {
  if (typeof code === 'number') return code !== 0 && code !== 200;
  return typeof code === 'string' && !/^(|0|200|ok|success)$/i.test(code);
}

/** Relays write the whole error of the upstream, as JSON text, instead of the message. */
function readErrorMessage(message: string, unwraps: number): ErrorReport {
  const nested = unwraps > 0 && /^\s*[[{"]/.test(message) ? parseJson(message) : undefined;
  const report = nested === undefined ? undefined : readErrorValue(nested, unwraps - 1);
  return report?.message ? report : { ...toMessageField(message), words: [] };
}

function findMessage(value: JsonObject): string | undefined {
  const error = findError(value);
  const candidates = [
    findProviderMessage(error),
    error?.message,
    isWord(value.error) ? undefined : value.error,
    value.message,
    isObject(value.message) ? readFirstDetail(value.message.detail) : undefined,
    value.msg,
    readFirstDetail(value.detail),
    readFirstDetail(value.errors),
    value.error_description,
    readBaseResponse(value).status_msg,
    value.err,
    value.error_msg,
    value.errorMessage,
    value.Message,
    value.error,
    value.title,
  ];
  return candidates.find((candidate) => nonEmptyString(candidate) !== undefined) as string | undefined;
}

/** OpenRouter's message only reports that a provider failed. The provider's own message is in another member. */
function findProviderMessage(error: JsonObject = {}): unknown {
  const isEmpty = /^provider returned error\.?$/i.test(nonEmptyString(error.message) ?? '');
  return isEmpty && isObject(error.metadata) ? error.metadata.raw : undefined;
}

/** Whether an error is only a code, such as OAuth's `invalid_token`. Its explanation is in another member. */
function isWord(error: unknown): boolean {
  return typeof error === 'string' && /^[\w.:-]{1,128}$/.test(error);
}

function readFirstDetail(detail: unknown): unknown {
  const first = Array.isArray(detail) ? detail[0] : detail;
  return isObject(first) ? (first.message ?? first.msg) : first;
}

function collectWords(value: JsonObject, detail: JsonObject): readonly string[] {
  const mainWords = [detail.code, detail.type, detail.status, value.code, value.type, value.status];
  // The members of Vidu, Stability, AWS and fal.ai, then of Azure, ElevenLabs and Cloudflare.
  const vendorWords = [value.reason, value.name, value.__type, value.error_type, detail.reason];
  const inner = [detail.innererror, value.detail, value.errors].map(findFirst).filter(isObject);
  const innerWords = inner.flatMap(({ code, type, status }) => [code, type, status]);
  const { error_type: metadata, ...moderation } = isObject(detail.metadata) ? detail.metadata : {};
  // OpenRouter
  const isModerated = Array.isArray(moderation.reasons) || moderation.flagged_input !== undefined;
  const errorCode = isObject(detail.details) ? detail.details.error_code : undefined;
  const causes = objectsIn(detail.details).flatMap(({ reason, violations }) => [
    reason,
    ...objectsIn(violations).map(({ quotaId }) => quotaId),
  ]);
  const number = scalarText(readBaseResponse(value).status_code);
  // Other gateways use the same numbers with other meanings.
  const base = number === '' ? undefined : `base_resp.${number}`;
  const words = [
    ...mainWords,
    ...vendorWords,
    ...innerWords,
    metadata,
    errorCode,
    base,
    isModerated && 'moderation',
    ...causes,
    value.error,
  ].filter((word) => nonEmptyString(word) !== undefined) as string[];
  return [...new Set(words.filter((word) => /^[\w.:-]{1,128}$/.test(word)))];
}

function readBaseResponse(value: JsonObject): JsonObject {
  return isObject(value.base_resp) ? value.base_resp : {};
}

function readNumber(code: unknown): number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

function readPageTitle(html: string): string {
  const title = /<(title|h1)[^>]{0,200}>([^<]{0,500})</i.exec(html)?.[2] ?? '';
  return title.replace(/\s+/g, ' ').trim();
}

function toMessageField(message: string): { readonly message?: string } {
  const text = message.trim();
  if (text === '') return {};
  return { message: truncate(text, maxMessageLength) };
}

/** The path of a field, such as `generationConfig.temperature` or `messages.0.content`. */
const fieldPath = /^[a-z_][\w-]{0,63}(?:\.[\w-]{1,64}){0,11}$/i;

/**
 * The field of the request that an error names, as a path with dots: from a member for it, otherwise from the text
 * of its message.
 */
function findField(value: JsonObject, detail: JsonObject, message = ''): string | undefined {
  const candidates = [
    detail.param,
    detail.field,
    value.param,
    ...readLocations(value.detail),
    ...readLocations(isObject(value.message) ? value.message.detail : undefined),
    ...readViolations(detail.details),
  ];
  return [...candidates, ...findNamedFields(message)].map(readPath).find((path) => path !== undefined);
}

/** FastAPI: `"loc": ["body", "messages", 0, "content"]`. */
function readLocations(detail: unknown): readonly unknown[] {
  return limitObjects(detail).map(({ loc }) =>
    Array.isArray(loc) ? loc.slice(0, 12).map(scalarText).join('.') : undefined,
  );
}

/** Google's BadRequest: `"fieldViolations": [{"field": "generation_config"}]`. */
function readViolations(details: unknown): readonly unknown[] {
  return limitObjects(details).flatMap(({ fieldViolations }) =>
    limitObjects(fieldViolations).map(({ field }) => field),
  );
}

/** Sentences with the name of a field, by OpenAI, Anthropic, Google, DashScope and similar providers. */
const fieldSentences: readonly RegExp[] = [
  /^(?:litellm\.\w{1,40}: )?([a-z]\w{0,63}(?:\.[\w-]{1,64}){0,11}): (?:field|input|extra|value|must|at least|string|list|range|unexpected)\b/i,
  /\b(?:parameters?|argument|field|value|type|property)(?: value)?(?: for| of| is| was)?:? {0,2}["'`(]([\w.[\]-]{1,128})["'`)]/i,
  /\b(?:range|value) of ([a-z]\w{0,63}(?:\.\w{1,64}){0,5}) (?:should|must)\b/i,
  /^["'`]([\w.[\]-]{1,128})["'`] (?:is|must|should|does(?! not support\b)|cannot|has)\b/i,
  /(?:参数|字段)\s{0,2}["'`“「]?([a-z][\w.]{0,127})/i,
];

function findNamedFields(message: string): readonly unknown[] {
  const unknownName = /\bUnknown name "([\w.]{1,64})"(?: at '([\w.[\]]{1,128})')?/.exec(message);
  if (unknownName) return [[unknownName[2], unknownName[1]].filter(Boolean).join('.')];
  return fieldSentences.map((sentence) => sentence.exec(message)?.[1]);
}

function readPath(value: unknown): string | undefined {
  const path = nonEmptyString(value)
    ?.slice(0, 256)
    .replace(/\[["']?([\w-]{1,64})["']?\]/g, '.$1')
    .replace(/^(?:body|query)\./, '');
  // LiteLLM sends "None" for no field.
  return path !== undefined && path !== 'None' && fieldPath.test(path) ? path : undefined;
}

function limitObjects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.slice(0, 20).filter(isObject) : [];
}
