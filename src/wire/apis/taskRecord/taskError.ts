import { isObject, type JsonObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import { findValue, isUnrelatedMember, listMembers, splitMemberName } from './memberNames.ts';
import type { TaskError } from './snapshot.ts';

/** Members that always contain the reason of a failure, the most specific first. */
const reasonKeys = [
  'error',
  'fail_reason',
  'failure',
  'failure_reason',
  'failMsg',
  'error_message',
  'errorMessage',
  'err_msg',
  'errMsg',
  'error_msg',
  'errorMsg',
  'err_message',
  'errors',
  'failReason',
  'failureReason',
  'failed_reason',
  'failedReason',
  'failure_message',
  'failureMessage',
  'fail_message',
  'failMessage',
  'fail_msg',
  'error_detail',
  'errorDetail',
  'error_details',
  'errorDetails',
  'error_description',
  'errorDescription',
];

/** Members that contain a reason in the record of a failed task, and other text in other records. */
const messageKeys = [
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
  'status_detail',
  'statusDetail',
  'status_message',
  'statusMessage',
  'status_msg',
  'status_reason',
  'statusReason',
  'exception',
  'cause',
  'details',
  'description',
];

/** Members with the parts of a task. One of them may contain the reason of a failure. */
const partKeys = [
  'steps',
  'stages',
  'tasks',
  'jobs',
  'subtasks',
  'results',
  'outputs',
  'output',
  'videos',
  'generations',
  'images',
  'clips',
  'works',
  'creations',
];

/** Members that always contain the code of an error. */
const errorCodeKeys = [
  'err_code',
  'errCode',
  'failCode',
  'failureCode',
  'failure_code',
  'error_code',
  'errorCode',
  'error_type',
];
const codeKeys = [...errorCodeKeys, 'code'];

/** Reads the reason of a failed task from the objects of its record, the most likely first. */
export function readTaskError(objects: readonly JsonObject[]): TaskError | undefined {
  const message =
    findValue(objects, reasonKeys, readReason) ??
    findOtherReason(objects) ??
    findValue(objects, partKeys, readPartReason) ??
    findValue(objects, messageKeys, readReason) ??
    findInOtherMembers(objects, isMessageName);
  const code =
    findValue(objects, ['error', 'errors', 'base_resp'], readErrorCode) ??
    findValue(objects, codeKeys, readCode) ??
    findInOtherMembers(objects, (words) => isFailureName(words) && words.at(-1) === 'code', readCode) ??
    findValue(objects, partKeys, readPartCode);
  if (message === undefined && code === undefined) return undefined;
  return { ...(message !== undefined && { message }), ...(code !== undefined && { code }) };
}

/** Whether a record contains an error with content. Empty objects, empty text and 0 are not errors. */
export function describesError(record: JsonObject): boolean {
  return reasonKeys.some((key) => readReason(record[key]) !== undefined);
}

/** Whether a record names the code of an error. */
export function namesErrorCode(record: JsonObject): boolean {
  return findValue([record], errorCodeKeys, readCode) !== undefined;
}

/**
 * The reason in a member with another name, such as `JobErrorMsg`, or in another object, such as `info.errors`.
 */
function findOtherReason(objects: readonly JsonObject[]): string | undefined {
  const innerObjects = objects.flatMap((object) =>
    listMembers(object).flatMap(([key, value]) =>
      isObject(value) && !isUnrelatedMember(key) ? [value] : [],
    ),
  );
  return (
    findInOtherMembers(objects, (words) => isFailureName(words) && isReasonName(words)) ??
    findValue(innerObjects, reasonKeys, readReason)
  );
}

/** The first text in a member whose name has certain words. */
function findInOtherMembers(
  objects: readonly JsonObject[],
  hasName: (words: readonly string[]) => boolean,
  read: (value: unknown) => string | undefined = readReason,
): string | undefined {
  for (const object of objects) {
    for (const [key, value] of listMembers(object)) {
      const text = hasName(splitMemberName(key)) ? read(value) : undefined;
      if (text !== undefined) return text;
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

function isReasonName(words: readonly string[]): boolean {
  return /^(msg|message|reasons?|desc|description|details?|info|text|cause|errors?|failures?)$/.test(
    words.at(-1) ?? '',
  );
}

function isMessageName(words: readonly string[]): boolean {
  return words.length > 1 && isReasonName(words);
}

function readReason(value: unknown): string | undefined {
  let inner = value;
  // Records may be nested more deeply than the call stack allows.
  while (Array.isArray(inner) || isObject(inner)) inner = Array.isArray(inner) ? inner[0] : findText(inner);
  const text = readJsonText(nonEmptyString(inner));
  // A few gateways write the address of the result, or a word for success, into the member for the reason.
  return text === undefined ||
    /^(https?:\/\/\S+|ok|success(ful|fully)?|succeed(ed)?|none|null|nil|n\/a|false|-|无|.{0,8}成功[。!！]?)$/i.test(
      text,
    )
    ? undefined
    : text;
}

/** The text of an error. The record may contain the error as JSON text. */
function readJsonText(text: string | undefined): string | undefined {
  const value = text !== undefined && /^\s*\{/.test(text) ? parseJson(text) : undefined;
  const content = isObject(value) ? findText(value) : undefined;
  return nonEmptyString(isObject(content) ? findText(content) : content) ?? text;
}

/** Members with the text of an error, the most likely first. */
const textKeys = [
  'message',
  'msg',
  'reason',
  'description',
  'detail',
  'details',
  'error',
  'error_message',
  'errorMessage',
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
];

function findText(error: JsonObject): unknown {
  const key = textKeys.find(
    (name) => error[name] !== undefined && error[name] !== null && error[name] !== '',
  );
  return key === undefined ? undefined : error[key];
}

function readPartReason(parts: unknown): string | undefined {
  return Array.isArray(parts) ? findValue(parts.filter(isObject), reasonKeys, readReason) : undefined;
}

function readPartCode(parts: unknown): string | undefined {
  return Array.isArray(parts) ? findValue(parts.filter(isObject), ['error'], readErrorCode) : undefined;
}

function readErrorCode(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? (readCode(first.code) ?? readCode(first.status_code)) : undefined;
}

/** A code of success in an envelope is not an error code. */
function readCode(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : nonEmptyString(value);
  return text === undefined || /^(0+|2\d\d|[12]0000|ok|success)$/i.test(text) ? undefined : text;
}
