import { type Diagnosis, diagnoseInnerError } from '../classify.ts';
import { isObject, type JsonObject, nonEmptyString } from '../json.ts';
import { withUsualNames } from './taskRecordSpelling.ts';
import { classOfWord } from './taskRecordWords.ts';

/** Members that hold the code of the call, not of a task. */
const codeKeys = [
  'code',
  'statusCode',
  'status_code',
  'errcode',
  'errCode',
  'errno',
  'error_code',
  'errorCode',
  'ret',
  'retcode',
];
const messageKeys = [
  'message',
  'msg',
  'errmsg',
  'errMsg',
  'error_msg',
  'error_message',
  'errorMessage',
  'detail',
  'reason',
];
const flagKeys = ['success', 'ok', 'succeeded', 'accepted', 'acknowledged'];
const wrappers = ['data', 'result', 'response', 'output', 'body', 'resp', 'payload', 'responseMetadata'];

const SUCCESS = /^(ok|okay|success(ful(ly)?)?|succeed(ed)?|done|true|no error|.{0,8}成功[。!！]?)$/i;
const NOTHING_THERE = /\b(no|empty|none|zero)\b|暂无|没有|无数据|无记录|为空/i;
const MAX_DEPTH = 4;

/**
 * The object that says that the call was refused, under a good status: `{"code":401,"message":"bad token",
 * "data":null}`, `{"success":false}`, MiniMax's `base_resp` and their like. Undefined when none says so.
 */
export function refusingObject(reply: unknown, depth = 0): JsonObject | undefined {
  if (!isObject(reply) || depth > MAX_DEPTH) return undefined;
  if (refuses(reply)) return reply;
  for (const key of wrappers) {
    const inner = refusingObject(reply[key], depth + 1);
    if (inner) return inner;
  }
  return undefined;
}

/** Why the call was refused, of the class that its code and its words stand for. */
export function diagnoseRefusal(object: JsonObject): Diagnosis {
  const code = codeKeys.map((key) => object[key]).find(isFailureCode) ?? statusCode(object);
  const message = messageOf(object);
  return diagnoseInnerError({
    ...object,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  });
}

/**
 * What is wrong with a reply that should have been a list and holds nothing: an empty page is one, a refusal
 * is none, however it is dressed. Without this a lost task would not be found where nobody looked.
 */
export function refusedList(reply: unknown): Diagnosis | undefined {
  const usual = withUsualNames(reply);
  const object = refusingObject(usual) ?? (explainsItself(usual) ? usual : undefined);
  if (object) return diagnoseRefusal(object);
  return typeof reply === 'string' && !SUCCESS.test(reply.trim()) ? diagnoseInnerError(reply) : undefined;
}

/** Whether an object holds a code of HTTP's that refuses. */
export function hasHttpFailure(object: JsonObject): boolean {
  return [...codeKeys, 'status'].some((key) => isHttpFailure(object[key]));
}

function refuses(object: JsonObject): boolean {
  if (tellsError(object.error) || tellsError(object.errors)) return true;
  if (flagKeys.some((key) => isNo(object[key]))) return true;
  if (hasHttpFailure(object)) return true;
  const base = isObject(object.base_resp) ? object.base_resp : {};
  if (isFailureCode(base.status_code)) return true;
  const status = nonEmptyString(object.status);
  if (status !== undefined && /^(error|fail|failed|failure|denied|unauthorized|forbidden)$/i.test(status))
    return true;
  if (flagKeys.some((key) => object[key] === true) || SUCCESS.test(messageOf(object) ?? '')) return false;
  return codeKeys.some(
    (key) => isFailureCode(object[key]) && !(Number(object[key]) === 1 && !messageOf(object)),
  );
}

/** A message beside nothing, and no code that says that all is well. */
function explainsItself(reply: unknown): reply is JsonObject {
  if (!isObject(reply) || codeKeys.some((key) => reply[key] !== undefined)) return false;
  if (flagKeys.some((key) => reply[key] === true)) return false;
  const message = messageOf(reply);
  return message !== undefined && !SUCCESS.test(message.trim()) && !NOTHING_THERE.test(message);
}

function messageOf(object: JsonObject): string | undefined {
  return messageKeys.map((key) => nonEmptyString(object[key])).find((message) => message !== undefined);
}

function tellsError(error: unknown): boolean {
  if (Array.isArray(error)) return error.some(tellsError);
  if (!isObject(error)) return error === true || nonEmptyString(error) !== undefined;
  return (
    [...messageKeys, 'type', 'status'].some((key) => nonEmptyString(error[key])) || isFailureCode(error.code)
  );
}

function isNo(value: unknown): boolean {
  return value === false || (typeof value === 'string' && /^(false|no)$/i.test(value));
}

/** Codes of success differ: 0, 200, 10000 for Jimeng, and words. */
function isFailureCode(code: unknown): boolean {
  const text = typeof code === 'number' ? String(code) : nonEmptyString(code)?.trim();
  if (text === undefined) return false;
  return !/^(0+|2\d\d|[12]0000|1000)$/.test(text) && !SUCCESS.test(text);
}

function isHttpFailure(code: unknown): boolean {
  return (typeof code === 'number' || typeof code === 'string') && /^\s*[45]\d\d\s*$/.test(String(code));
}

function statusCode({ status }: JsonObject): unknown {
  return isHttpFailure(status) ? Number(status) : undefined;
}

/** Whether a word says that something failed, without saying that a task did. */
export function isFailedCall(word: string): boolean {
  return /^[45]\d\d$/.test(word) || (/^error/i.test(word) && classOfWord(word) === 'failed');
}
