import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import type { TaskError } from './snapshot.ts';

/** Members that only ever hold a reason, the most specific first. */
const reasonKeys = [
  'error',
  'fail_reason',
  'failure',
  'failure_reason',
  'failMsg',
  ...['error_message', 'errorMessage', 'err_msg', 'errMsg', 'error_msg', 'errorMsg', 'err_message'],
  ...['errors', 'failReason', 'failureReason', 'failed_reason', 'failedReason', 'failure_message'],
  ...['failureMessage', 'fail_message', 'failMessage', 'fail_msg', 'error_detail', 'errorDetail'],
  ...['error_details', 'errorDetails', 'error_description', 'errorDescription'],
];

/** Members that hold a reason on a failed task, and other text on any other. */
const talkKeys = [
  'task_status_msg',
  'message',
  'reason',
  'status_details',
  'incomplete_details',
  'generateVideoResponse',
  'detail',
  'msg',
  'base_resp',
  ...['status_detail', 'statusDetail', 'status_message', 'statusMessage', 'status_msg', 'status_reason'],
  ...['statusReason', 'exception', 'cause', 'details', 'description'],
];

/** Members with the parts of a task, of which one may tell why it failed. */
const partKeys = ['steps', 'stages', 'tasks', 'jobs', 'subtasks', 'results', 'outputs', 'output', 'videos'];

const codeKeys = ['err_code', 'errCode', 'failCode', 'failureCode', 'error_code', 'errorCode', 'code'];

/** Reads why a task failed. */
export function readTaskError(objects: readonly JsonObject[]): TaskError | undefined {
  const message =
    firstValue(objects, reasonKeys, reasonIn) ??
    firstValue(objects, partKeys, reasonOfPart) ??
    firstValue(objects, talkKeys, reasonIn);
  const code =
    firstValue(objects, ['error', 'errors', 'base_resp'], codeIn) ??
    firstValue(objects, codeKeys, asCode) ??
    firstValue(objects, partKeys, codeOfPart);
  if (message === undefined && code === undefined) return undefined;
  return { ...(message !== undefined && { message }), ...(code !== undefined && { code }) };
}

/** Whether a record holds an error that says something. Empty objects, empty text and 0 are none. */
export function describesError(record: JsonObject): boolean {
  return reasonKeys.some((key) => reasonIn(record[key]) !== undefined);
}

function reasonIn(value: unknown): string | undefined {
  let inner = value;
  // Records may be nested more deeply than functions can call themselves.
  while (Array.isArray(inner) || isObject(inner)) inner = Array.isArray(inner) ? inner[0] : toldBy(inner);
  const text = nonEmptyString(inner);
  // A few gateways write the address of the result, or a word of success, where a reason belongs.
  return text === undefined ||
    /^(https?:\/\/\S+|ok|success(ful|fully)?|succeed(ed)?|.{0,8}成功[。!！]?)$/i.test(text)
    ? undefined
    : text;
}

/** Members of an error with its words, the most likely first. */
const wordKeys = [
  ...[
    'message',
    'msg',
    'reason',
    'description',
    'detail',
    'details',
    'error',
    'error_message',
    'errorMessage',
  ],
  ...[
    'error_msg',
    'errorMsg',
    'error_detail',
    'errorDetail',
    'status_msg',
    'statusMsg',
    'cause',
    'title',
    'data',
    'raiMediaFilteredReasons',
  ],
];

function toldBy(error: JsonObject): unknown {
  const key = wordKeys.find(
    (name) => error[name] !== undefined && error[name] !== null && error[name] !== '',
  );
  return key === undefined ? undefined : error[key];
}

function reasonOfPart(parts: unknown): string | undefined {
  return Array.isArray(parts) ? firstValue(parts.filter(isObject), reasonKeys, reasonIn) : undefined;
}

function codeOfPart(parts: unknown): string | undefined {
  return Array.isArray(parts) ? firstValue(parts.filter(isObject), ['error'], codeIn) : undefined;
}

function codeIn(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? (asCode(first.code) ?? asCode(first.status_code)) : undefined;
}

/** A code of success in an envelope is no error code. */
function asCode(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : nonEmptyString(value);
  return text === undefined || /^(0|200|ok|success|10000)$/i.test(text) ? undefined : text;
}
