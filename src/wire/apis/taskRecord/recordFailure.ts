import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import { type ErrorReport, readErrorBody } from '../../failures/errorBody.ts';
import { reportsMissingRoute } from '../../failures/errorWords.ts';
import type { FailureDetails } from '../../failures/failureOfReply.ts';
import { normalizeNames } from './memberNames.ts';
import { findRecordObjects } from './recordObjects.ts';
import { failureOfRefusal, findRefusingObject, hasHttpFailure, isFailedCall } from './refusedRecord.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { classifyStatus, isCallStatus } from './statusWords.ts';

/**
 * The failure of a reply that should be a task record: a refusal with a good HTTP status. The record of a failed
 * task also holds an error, but has the id or the status of the task.
 *
 * @param requestedId the id in the request, if any
 */
export function findRefusal(snapshot: TaskSnapshot, requestedId?: string): FailureDetails | undefined {
  const { raw, results } = snapshot;
  const refusing = findRefusingObject(normalizeNames(raw));
  if (!refusing || results.length > 0 || isRecord(snapshot, refusing, requestedId)) return undefined;
  return failureOfRefusal(refusing);
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
  if (refusing && (refusing !== record || !isComplete)) return failureOfRefusal(refusing);
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
  if (report.html || reportsMissingRoute(report, false)) return false;
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

/** Members in which gateways report whether they did the action. */
const doneKeys: Record<TaskChange, readonly string[]> = {
  cancel: ['cancelled', 'canceled', 'cancel', 'aborted', 'stopped'],
  delete: ['deleted', 'delete', 'removed', 'deleteResult', 'deleted_count', 'deletedCount', 'affected'],
};

/** No gateway nests deeper. */
const maxDepth = 8;

/** Words in sentences about an action that the gateway did not do. */
const notDoneWords =
  /\b(can ?not|can['’]t|could ?n[o'’]?t|unable|not|fail(ed|ure)?|denied|refused|locked|error)\b|失败|不能|无法|不存在|不允许|不支持|错误/i;

/** Whether a reply reports that the gateway did not do the action. */
function isDenied(raw: unknown, action: TaskChange, depth = 0): boolean {
  if (depth > maxDepth) return false;
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
  const { gatewayMessage } = failureOfRefusal(isObject(raw) ? raw : {});
  return {
    kind: 'invalid-parameters',
    explanation: explain(deniedActions[action]),
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  };
}
