import { isObject, type JsonObject, nonEmptyString, parseJson, scalarText } from '../base/json.ts';
import { truncate } from '../base/truncate.ts';
import { fieldOfError } from './errorField.ts';
import { delayOfDetails, delayOfMessage, type ReplyHeaders } from './retryHint.ts';

/** What an error body says, in any known form. */
export interface ErrorReport {
  /** The gateway's own message for people. */
  readonly message?: string;
  /** Codes, types, states and reasons. */
  readonly words: readonly string[];
  /** The first number among the codes, often the HTTP status of an upstream. */
  readonly code?: number;
  /** The field of the request that it names, as a path with dots. */
  readonly field?: string;
  /** How long to wait in milliseconds, if the body tells. */
  readonly retryDelayMs?: number;
  /** Headers of the provider's reply, which OpenRouter passes on in the body. */
  readonly headers?: ReplyHeaders;
  /** The body is a web page and not a gateway's answer. */
  readonly html?: true;
}

const maxMessageLength = 2048;
const maxUnwraps = 2;

/** Reads an error body: JSON of any known form, a web page, plain text or nothing. Never throws. */
export function readErrorBody(body: string): ErrorReport {
  const text = body.trim();
  if (text.startsWith('<')) return { ...said(pageTitle(text)), words: [], html: true };
  const value = parseJson(text);
  return value === undefined ? { ...said(text), words: [] } : readErrorValue(value);
}

/** Reads a parsed error, such as one inside a stream. Never throws. */
export function readErrorValue(told: unknown, unwraps = maxUnwraps): ErrorReport {
  const first = firstWithin(told);
  if (typeof first === 'string') return readErrorMessage(first, unwraps);
  if (!isObject(first)) return { words: [] };
  const value = ofCloud(first);

  const detail = errorIn(value) ?? value;
  const message = errorMessage(value);
  const inner = message === undefined ? { words: [] } : readErrorMessage(message, unwraps);
  const codes = [detail.code, value.code, value.error_code, baseResponse(value).status_code];
  const code = codes.map(asNumber).find((number) => number !== undefined) ?? inner.code;
  const retryDelayMs = delayOfDetails(value, detail) ?? inner.retryDelayMs ?? delayOfMessage(message);
  const field = fieldOfError(value, detail, message) ?? inner.field;
  const headers = isObject(detail.metadata) ? headersIn(detail.metadata.headers) : undefined;
  return {
    ...inner,
    words: [...errorWords(value, detail), ...inner.words],
    ...(code !== undefined && { code }),
    ...(field !== undefined && { field }),
    ...(retryDelayMs !== undefined && { retryDelayMs }),
    ...(headers && { headers }),
  };
}

const maxHeaders = 50;

function headersIn(value: unknown): ReplyHeaders | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).slice(0, maxHeaders);
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), scalarText(text)]));
}

/** The clouds of Tencent and Volcengine write `{"Response":{"Error":{"Code":…,"Message":…}}}`. */
function ofCloud(value: JsonObject): JsonObject {
  const head = [value.Response, value.ResponseMetadata].find(isObject);
  if (!isObject(head?.Error)) return value;
  const { Code: code, Message: message } = head.Error;
  return { error: { code, message } };
}

/** The error within a body; Cloudflare makes a list of it. */
function errorIn({ error }: JsonObject): JsonObject | undefined {
  const first = firstWithin(error);
  return isObject(first) ? first : undefined;
}

/** The first value of lists within lists, however deep. */
function firstWithin(value: unknown): unknown {
  let first = value;
  while (Array.isArray(first)) first = first[0];
  return first;
}

/** Whether a payload without an error reports a failure by its code. */
export function reportsFailure(payload: JsonObject): boolean {
  const codes = [payload.code, payload.error_code, baseResponse(payload).status_code];
  return payload.success === false || codes.some(isFailureCode);
}

function isFailureCode(code: unknown): boolean {
  if (typeof code === 'number') return code !== 0 && code !== 200;
  return typeof code === 'string' && !/^(|0|200|ok|success)$/i.test(code);
}

/** Relays write the whole error of the upstream, as JSON text, in place of the message. */
function readErrorMessage(message: string, unwraps: number): ErrorReport {
  const nested = unwraps > 0 && /^\s*[[{"]/.test(message) ? parseJson(message) : undefined;
  const report = nested === undefined ? undefined : readErrorValue(nested, unwraps - 1);
  return report?.message ? report : { ...said(message), words: [] };
}

function errorMessage(value: JsonObject): string | undefined {
  const error = errorIn(value);
  const candidates = [
    messageOfProvider(error),
    error?.message,
    isWord(value.error) ? undefined : value.error,
    value.message,
    isObject(value.message) ? firstDetail(value.message.detail) : undefined,
    value.msg,
    firstDetail(value.detail),
    firstDetail(value.errors),
    value.error_description,
    baseResponse(value).status_msg,
    value.err,
    value.error_msg,
    value.errorMessage,
    value.Message,
    value.error,
    value.title,
  ];
  return candidates.find((candidate) => nonEmptyString(candidate) !== undefined) as string | undefined;
}

/** OpenRouter says no more than that a provider failed, and what that one said elsewhere. */
function messageOfProvider(error: JsonObject = {}): unknown {
  const isEmpty = /^provider returned error\.?$/i.test(nonEmptyString(error.message) ?? '');
  return isEmpty && isObject(error.metadata) ? error.metadata.raw : undefined;
}

/** A code such as OAuth's `invalid_token`, which a sentence elsewhere explains. */
function isWord(error: unknown): boolean {
  return typeof error === 'string' && /^[\w.:-]{1,128}$/.test(error);
}

function firstDetail(detail: unknown): unknown {
  const first = Array.isArray(detail) ? detail[0] : detail;
  return isObject(first) ? (first.message ?? first.msg) : first;
}

function errorWords(value: JsonObject, detail: JsonObject): readonly string[] {
  const named = [detail.code, detail.type, detail.status, value.code, value.type, value.status];
  // Vidu, Stability, AWS and fal.ai; Azure, ElevenLabs and Cloudflare
  const others = [value.reason, value.name, value.__type, value.error_type, detail.reason];
  const inner = [detail.innererror, value.detail, value.errors].map(firstWithin).filter(isObject);
  const inside = inner.flatMap(({ code, type, status }) => [code, type, status]);
  const { error_type: metadata, ...moderation } = isObject(detail.metadata) ? detail.metadata : {};
  // OpenRouter
  const isModerated = Array.isArray(moderation.reasons) || moderation.flagged_input !== undefined;
  const errorCode = isObject(detail.details) ? detail.details.error_code : undefined;
  const causes = entries(detail.details).flatMap(({ reason, violations }) => [
    reason,
    ...entries(violations).map(({ quotaId }) => quotaId),
  ]);
  const { status_code: number } = baseResponse(value);
  // Others use the same numbers for something else.
  const base = number === undefined ? undefined : `base_resp.${String(number)}`;
  const words = [
    ...named,
    ...others,
    ...inside,
    metadata,
    errorCode,
    base,
    isModerated && 'moderation',
    ...causes,
    value.error,
  ].filter((word) => nonEmptyString(word) !== undefined) as string[];
  return [...new Set(words.filter((word) => /^[\w.:-]{1,128}$/.test(word)))];
}

function baseResponse(value: JsonObject): JsonObject {
  return isObject(value.base_resp) ? value.base_resp : {};
}

function entries(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function asNumber(code: unknown): number | undefined {
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

function pageTitle(html: string): string {
  const title = /<(title|h1)[^>]{0,200}>([^<]{0,500})</i.exec(html)?.[2] ?? '';
  return title.replace(/\s+/g, ' ').trim();
}

function said(message: string): { readonly message?: string } {
  const text = message.trim();
  if (text === '') return {};
  return { message: truncate(text, maxMessageLength) };
}
