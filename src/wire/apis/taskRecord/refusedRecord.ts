import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { type FailureDetails, failureOfInnerError } from '../../failures/failureOfReply.ts';
import { normalizeNames } from './memberNames.ts';
import { classifyStatus } from './statusWords.ts';

/** Members with the code of the call. */
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
  'retCode',
  'rspCode',
  'resultCode',
  'result_code',
];
const messageKeys = [
  'message',
  'msg',
  'errmsg',
  'errMsg',
  'error_msg',
  'error_message',
  'errorMessage',
  'errMessage',
  'faultstring',
  'detail',
  'reason',
];
const flagKeys = ['success', 'ok', 'succeeded', 'accepted', 'acknowledged', 'isSuccess', 'authenticated'];
/** Members with an object that describes the call. */
const headKeys = ['base_resp', 'baseResp', 'header', 'head', 'base'];
const wrappers = ['data', 'result', 'response', 'output', 'body', 'resp', 'payload', 'responseMetadata'];

const successCode = /^(ok|okay|success(ful(ly)?)?|succeed(ed)?|done|true|no error|.{0,8}成功[。!！]?)$/i;
const emptyListWords =
  /\b(no|zero|0) (?!permission|access|auth|rights?\b|such (user|key|token)|credential|token|api)|\b(empty|none)\b|暂无(?!权)|没有(?!权)|无数据|无记录|为空/i;
const successSentence = /^(?!.*\b(not|no|without)\b).*\bsuccess(ful(ly)?)?\b/i;
const refusedWords =
  /^(error|fail|failed|failure|denied|refused|forbidden|unauthori[sz]ed|unauthenticated|permission_denied)$/i;
const refusedCallerWords = /^(denied|forbidden|unauthori[sz]ed|unauthenticated|permission_denied)$/i;
const maxDepth = 4;

/**
 * Finds the object that refuses the call although the HTTP status is good:
 * `{"code":401,"message":"bad token","data":null}`, `{"success":false}`, MiniMax's `base_resp` and similar ones.
 *
 * @returns undefined if there is no refusal
 */
export function findRefusingObject(reply: unknown, depth = 0): JsonObject | undefined {
  if (Array.isArray(reply) && reply.length === 1) return findRefusingElement(reply[0]);
  if (!isObject(reply) || depth > maxDepth) return undefined;
  if (findRefusingHead(reply) || refusesItself(reply)) return reply;
  for (const key of wrappers) {
    const inner = findRefusingObject(reply[key], depth + 1);
    if (inner) return inner;
  }
  return undefined;
}

/** Vertex refuses with a list that contains only an error. */
function findRefusingElement(element: unknown): JsonObject | undefined {
  return isObject(element) && isObject(element.error) && Object.keys(element).length === 1
    ? findRefusingObject(element)
    : undefined;
}

/** The failure for the code and the message of a refusal. */
export function failureOfRefusal(object: JsonObject): FailureDetails {
  const source = { ...object, ...findRefusingHead(object) };
  const statusCode = isHttpFailure(object.status) ? Number(object.status) : undefined;
  const code = codeKeys.map((key) => source[key]).find(isFailureCode) ?? statusCode;
  const message = readMessage(source) ?? (isObject(object.fault) ? readMessage(object.fault) : undefined);
  return failureOfInnerError({
    ...object,
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  });
}

/**
 * The failure of a reply that should be a list: a refusal in any form, but not an empty page. Without this check,
 * a search would silently miss a task.
 */
export function findListRefusal(reply: unknown): FailureDetails | undefined {
  const normal = normalizeNames(reply);
  const object = findRefusingObject(normal) ?? (hasOnlyMessage(normal) ? normal : undefined);
  if (object) return failureOfRefusal(object);
  return typeof reply === 'string' && !successCode.test(reply.trim())
    ? failureOfInnerError(reply)
    : undefined;
}

/** Whether an object holds the HTTP status of a failure. */
export function hasHttpFailure(object: JsonObject): boolean {
  return [...codeKeys, 'status'].some((key) => isHttpFailure(object[key]));
}

function refusesItself(object: JsonObject): boolean {
  if ([object.error, object.errors, object.fault, object.exception].some((error) => isErrorValue(error)))
    return true;
  if (flagKeys.some((key) => isFalsy(object[key]))) return true;
  if (hasHttpFailure(object)) return true;
  if ([object.status, object.result].some((word) => refusedWords.test(nonEmptyString(word) ?? '')))
    return true;
  if (flagKeys.some((key) => object[key] === true) || successCode.test(readMessage(object) ?? ''))
    return false;
  return codeKeys.some(
    (key) => isFailureCode(object[key]) && !(Number(object[key]) === 1 && !readMessage(object)),
  );
}

function findRefusingHead(object: JsonObject): JsonObject | undefined {
  const heads = headKeys.map((key) => object[key]).filter(isObject);
  return heads.find(refusesItself) ?? [object.meta, object.status].filter(isObject).find(hasHttpFailure);
}

/** Whether the reply holds a message, but neither a code nor a flag of success. */
function hasOnlyMessage(reply: unknown): reply is JsonObject {
  if (!isObject(reply) || codeKeys.some((key) => reply[key] !== undefined)) return false;
  if (flagKeys.some((key) => reply[key] === true)) return false;
  const message = readMessage(reply)?.trim();
  return (
    message !== undefined &&
    ![successCode, successSentence, emptyListWords].some((fine) => fine.test(message))
  );
}

function readMessage(object: JsonObject): string | undefined {
  return messageKeys.map((key) => nonEmptyString(object[key])).find((message) => message !== undefined);
}

function isErrorValue(error: unknown, depth = 0): boolean {
  if (Array.isArray(error)) return depth < maxDepth && error.some((each) => isErrorValue(each, depth + 1));
  if (!isObject(error)) return error === true || nonEmptyString(error) !== undefined;
  return (
    [...messageKeys, 'type', 'status'].some((key) => nonEmptyString(error[key])) ||
    isFailureCode(error.code) ||
    Object.values(error).some((each) => Array.isArray(each) && nonEmptyString(each[0]) !== undefined)
  );
}

function isFalsy(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === 'string' && /^(false|no)$/i.test(value));
}

/** Codes for success are 0, 2xx, 1000, 10000 (Jimeng), 20000 and words. */
function isFailureCode(code: unknown): boolean {
  const text = typeof code === 'number' ? String(code) : nonEmptyString(code)?.trim();
  if (text === undefined) return false;
  return !/^(0+|2\d\d|[12]0000|1000)$/.test(text) && !successCode.test(text);
}

function isHttpFailure(code: unknown): boolean {
  return (typeof code === 'number' || typeof code === 'string') && /^\s*[45]\d\d\s*$/.test(String(code));
}

/** Whether a word reports a failure, but not the failure of a task. */
export function isFailedCall(word: string): boolean {
  return (
    /^[45]\d\d$/.test(word) ||
    refusedCallerWords.test(word) ||
    (/^error/i.test(word) && classifyStatus(word) === 'failed')
  );
}
