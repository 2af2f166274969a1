import { isObject, type JsonObject, nonEmptyString, scalarText } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import { type ErrorReport, readErrorBody } from '../../failures/errorBody.ts';
import { reportsMissingRoute } from '../../failures/errorWords.ts';
import { type FailureDetails, readInnerFailure } from '../../failures/replyFailure.ts';
import { normalizeNames } from './memberNames.ts';
import { findRecordObjects } from './recordObjects.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { classifyStatus, isCallStatus } from './statusWords.ts';

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
 * Finds the object that refuses the call although the HTTP status reports success:
 * `{"code":401,"message":"bad token","data":null}`, `{"success":false}`, MiniMax's `base_resp` and similar ones.
 *
 * @returns undefined if there is no refusal
 */
function findRefusingObject(reply: unknown, depth = 0): JsonObject | undefined {
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
function createRefusalFailure(object: JsonObject): FailureDetails {
  const source = { ...object, ...findRefusingHead(object) };
  const statusCode = isHttpFailure(object.status) ? Number(object.status) : undefined;
  const code = codeKeys.map((key) => source[key]).find(isFailureCode) ?? statusCode;
  const message = readMessage(source) ?? (isObject(object.fault) ? readMessage(object.fault) : undefined);
  return readInnerFailure({
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
  if (object) return createRefusalFailure(object);
  return typeof reply === 'string' && !successCode.test(reply.trim()) ? readInnerFailure(reply) : undefined;
}

/** Whether an object contains the HTTP status of a failure. */
function hasHttpFailure(object: JsonObject): boolean {
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

/** Whether a reply contains a message that does not report success, but neither a code nor a success flag. */
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
function isFailedCall(word: string): boolean {
  return (
    /^[45]\d\d$/.test(word) ||
    refusedCallerWords.test(word) ||
    (/^error/i.test(word) && classifyStatus(word) === 'failed')
  );
}

/**
 * The failure of a reply that should be a task record: a refusal with a success status. The record of a failed task
 * also contains an error, but has the id or the status of the task.
 *
 * @param requestedId the id in the request, if any
 */
export function findRefusal(snapshot: TaskSnapshot, requestedId?: string): FailureDetails | undefined {
  const { raw, results } = snapshot;
  const refusing = findRefusingObject(normalizeNames(raw));
  if (!refusing || results.length > 0 || isRecord(snapshot, refusing, requestedId)) return undefined;
  return createRefusalFailure(refusing);
}

/** A request to change a task. */
export type TaskChange = 'cancel' | 'delete';

/**
 * The failure in the reply to a cancel or a delete. An error in the task's own record is not a refusal: it may be
 * the reason why the task failed.
 */
export function findChangeFailure(snapshot: TaskSnapshot, action: TaskChange): FailureDetails | undefined {
  const { raw, id, rawStatus } = snapshot;
  const record = findRecordObjects(raw)?.record;
  const refusing = findRefusingObject(normalizeNames(raw));
  const isComplete = id !== undefined && rawStatus !== undefined;
  if (refusing && (refusing !== record || !isComplete)) return createRefusalFailure(refusing);
  return findReturnedRecord(snapshot) || !isDenied(normalizeNames(raw), action)
    ? undefined
    : createDeniedFailure(action, raw);
}

/**
 * The record in the reply to a cancel or a delete; undefined if the reply is only a confirmation. Then the caller
 * has to read the task.
 */
export function findReturnedRecord(snapshot: TaskSnapshot): TaskSnapshot | undefined {
  const { id, rawStatus } = snapshot;
  return id !== undefined && rawStatus !== undefined && classifyStatus(rawStatus) !== undefined
    ? snapshot
    : undefined;
}

const taskWords =
  /\b(task|job|video|generation|interaction|operation|prediction|render|batch|entity|record)s?\b|任务|任務|作业|视频|记录/i;
const missingWords =
  /\bnot (be )?found\b|\bno such\b|\b(does|did|do) ?n[o'’]?t exist|\bnot exists?\b|\bunknown\b|\bmissing\b|\bno longer\b|\b(was|were|been|is|already|has) (deleted|removed|expired|gone|purged)\b|\b(cannot|can['’]t|could ?n[o'’]?t|unable to) (be )?(find|found|locate)|不存在|未找到|找不到|没有找到|沒有|没找到|查询不到|查无|无此|已(经|被)*(删除|刪除|过期|失效|清除)/i;
const routeWords = /\b(route|url|uri|path|endpoint|page|handler|method|api)\b|路由|路径|接口|地址|页面|网址/i;

/**
 * Whether a 404 reports that the task does not exist, in English or Chinese. A web page, a message about a path,
 * or a plain "Not Found" may have other causes.
 *
 * @param body the body of the reply as text
 */
export function reportsMissingTask(body: string, taskId: string): boolean {
  const report = readErrorBody(body);
  if (report.isHtml || reportsMissingRoute(report, false)) return false;
  return listSentences(report).some((sentence) => {
    if (routeWords.test(sentence)) return false;
    return missingWords.test(sentence) && (taskWords.test(sentence) || sentence.includes(taskId));
  });
}

/** The message without addresses, and the codes as words: `TaskNotFound`, `task_not_exist`. */
function listSentences({ message = '', words }: ErrorReport): readonly string[] {
  const codes = words.map((word) => word.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.:-]/g, ' '));
  return [message.replace(/(https?:\/\/|\/)\S+/g, ' '), ...codes];
}

/** Whether a reply that reports a failure is the record of a failed task. */
function isRecord(
  { id, rawStatus, raw }: TaskSnapshot,
  refusing: JsonObject,
  requestedId: string | undefined,
): boolean {
  const httpFailure = hasHttpFailure(refusing);
  const hasTaskStatus = rawStatus !== undefined && !isCallStatus(rawStatus);
  if (id !== undefined && hasTaskStatus)
    return !httpFailure || requestedId === undefined || id === requestedId;
  if (id !== undefined) return !httpFailure && !(isObject(raw) && 'data' in raw && !raw.data);
  return hasTaskStatus && !httpFailure && !isFailedCall(rawStatus) && !refusesCaller(refusing.error);
}

/** Whether an error refuses the caller. Tasks do not fail with such an error. */
function refusesCaller(error: unknown): boolean {
  return isObject(error) && /^(401|403|429)$/.test(scalarText(error.code));
}

/** Members in which gateways report whether they performed the action. */
const doneKeys: Record<TaskChange, readonly string[]> = {
  cancel: ['cancelled', 'canceled', 'cancel', 'aborted', 'stopped'],
  delete: ['deleted', 'delete', 'removed', 'deleteResult', 'deleted_count', 'deletedCount', 'affected'],
};

/** No gateway nests deeper. */
const maxReplyDepth = 8;

/** Words in sentences about an action that the gateway did not perform. */
const notDoneWords =
  /\b(can ?not|can['’]t|could ?n[o'’]?t|unable|not|fail(ed|ure)?|denied|refused|locked|error)\b|失败|不能|无法|不存在|不允许|不支持|错误/i;

/** Whether a reply reports that the gateway did not perform the action. */
function isDenied(raw: unknown, action: TaskChange, depth = 0): boolean {
  if (depth > maxReplyDepth) return false;
  if (Array.isArray(raw) && raw.length === 1) return isDenied(raw[0], action, depth + 1);
  if (typeof raw === 'string') return notDoneWords.test(raw);
  if (!isObject(raw)) return raw === false;
  if (doneKeys[action].some((key) => isNotDone(raw[key]))) return true;
  if ([raw.message, raw.msg, raw.status, raw.state].some((words) => reportsNotDone(words))) return true;
  return (
    raw.data === false ||
    raw.result === false ||
    isDenied(raw.data, action, depth + 1) ||
    isDenied(raw.result, action, depth + 1)
  );
}

function isNotDone(done: unknown): boolean {
  return Array.isArray(done) ? done.length === 0 : done === null || /^(false|0|no)$/i.test(scalarText(done));
}

function reportsNotDone(words: unknown): boolean {
  return typeof words === 'string' && notDoneWords.test(words.replaceAll('_', ' '));
}

const deniedActions = { cancel: 'cancel-denied', delete: 'delete-denied' } as const;

function createDeniedFailure(action: TaskChange, raw: unknown): FailureDetails {
  const { gatewayMessage } = createRefusalFailure(isObject(raw) ? raw : {});
  return {
    kind: 'invalid-parameters',
    explanation: explain(deniedActions[action]),
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  };
}
