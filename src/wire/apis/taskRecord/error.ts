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
  'error_message',
  'errorMessage',
  'err_msg',
  'errors',
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
];

const codeKeys = ['err_code', 'failCode', 'failureCode', 'error_code', 'code'];

/** Reads why a task failed. */
export function readTaskError(objects: readonly JsonObject[]): TaskError | undefined {
  const message = firstValue(objects, [...reasonKeys, ...talkKeys], reasonIn);
  const code = firstValue(objects, ['error', 'errors'], codeIn) ?? firstValue(objects, codeKeys, asCode);
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

function toldBy({ message, msg, reason, data, raiMediaFilteredReasons }: JsonObject): unknown {
  return message ?? msg ?? reason ?? data ?? raiMediaFilteredReasons;
}

function codeIn(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? asCode(first.code) : undefined;
}

/** A code of success in an envelope is no error code. */
function asCode(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : nonEmptyString(value);
  return text === undefined || /^(0|200|ok|success|10000)$/i.test(text) ? undefined : text;
}
