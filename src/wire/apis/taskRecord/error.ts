import { isObject, type JsonObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import { isAsideName, membersOf, memberWords } from './memberNames.ts';
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
  'raiMediaFilteredReasons',
  'detail',
  'msg',
  'base_resp',
  ...['status_detail', 'statusDetail', 'status_message', 'statusMessage', 'status_msg', 'status_reason'],
  ...['statusReason', 'exception', 'cause', 'details', 'description'],
];

/** Members with the parts of a task, of which one may tell why it failed. */
const partKeys = [
  ...['steps', 'stages', 'tasks', 'jobs', 'subtasks', 'results', 'outputs', 'output', 'videos'],
  ...['generations', 'images', 'clips', 'works', 'creations'],
];

/** Members that only ever hold the code of an error. */
const errorCodeKeys = [
  ...[
    'err_code',
    'errCode',
    'failCode',
    'failureCode',
    'failure_code',
    'error_code',
    'errorCode',
    'error_type',
  ],
];
const codeKeys = [...errorCodeKeys, 'code'];

/** Reads why a task failed. */
export function readTaskError(objects: readonly JsonObject[]): TaskError | undefined {
  const message =
    firstValue(objects, reasonKeys, reasonIn) ??
    otherReason(objects) ??
    firstValue(objects, partKeys, reasonOfPart) ??
    firstValue(objects, talkKeys, reasonIn) ??
    firstOther(objects, isTalkName);
  const code =
    firstValue(objects, ['error', 'errors', 'base_resp'], codeIn) ??
    firstValue(objects, codeKeys, asCode) ??
    firstOther(objects, (words) => isFailureName(words) && words.at(-1) === 'code', asCode) ??
    firstValue(objects, partKeys, codeOfPart);
  if (message === undefined && code === undefined) return undefined;
  return { ...(message !== undefined && { message }), ...(code !== undefined && { code }) };
}

/** Whether a record holds an error that says something. Empty objects, empty text and 0 are none. */
export function describesError(record: JsonObject): boolean {
  return reasonKeys.some((key) => reasonIn(record[key]) !== undefined);
}

/** Whether a record names the code of an error. */
export function namesErrorCode(record: JsonObject): boolean {
  return firstValue([record], errorCodeKeys, asCode) !== undefined;
}

/** The reason in a member with another name, such as `JobErrorMsg`, or in an object besides, such as `info.errors`. */
function otherReason(objects: readonly JsonObject[]): string | undefined {
  const inner = objects.flatMap((object) =>
    membersOf(object).flatMap(([key, value]) => (isObject(value) && !isAsideName(key) ? [value] : [])),
  );
  return (
    firstOther(objects, (words) => isFailureName(words) && tellsReason(words)) ??
    firstValue(inner, reasonKeys, reasonIn)
  );
}

function firstOther(
  objects: readonly JsonObject[],
  isNamed: (words: readonly string[]) => boolean,
  read: (value: unknown) => string | undefined = reasonIn,
): string | undefined {
  for (const object of objects) {
    for (const [key, value] of membersOf(object)) {
      const told = isNamed(memberWords(key)) ? read(value) : undefined;
      if (told !== undefined) return told;
    }
  }
  return undefined;
}

function isFailureName(words: readonly string[]): boolean {
  return (
    words.length > 1 &&
    words.some((word) => /^(err|error|fail|failed|failure|reject|rejection)s?$/.test(word))
  );
}

function tellsReason(words: readonly string[]): boolean {
  return /^(msg|message|reasons?|desc|description|details?|info|text|cause|errors?|failures?)$/.test(
    words.at(-1) ?? '',
  );
}

function isTalkName(words: readonly string[]): boolean {
  return words.length > 1 && tellsReason(words);
}

function reasonIn(value: unknown): string | undefined {
  let inner = value;
  // Records may be nested more deeply than functions can call themselves.
  while (Array.isArray(inner) || isObject(inner)) inner = Array.isArray(inner) ? inner[0] : toldBy(inner);
  const text = wordsOfJson(nonEmptyString(inner));
  // A few gateways write the address of the result, or a word of success, where a reason belongs.
  return text === undefined ||
    /^(https?:\/\/\S+|ok|success(ful|fully)?|succeed(ed)?|none|null|nil|n\/a|false|-|无|.{0,8}成功[。!！]?)$/i.test(
      text,
    )
    ? undefined
    : text;
}

/** The words of an error that was written as JSON text. */
function wordsOfJson(text: string | undefined): string | undefined {
  const value = text !== undefined && /^\s*\{/.test(text) ? parseJson(text) : undefined;
  const told = isObject(value) ? toldBy(value) : undefined;
  return nonEmptyString(isObject(told) ? toldBy(told) : told) ?? text;
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
    'raw_message',
    'rawMessage',
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
