import { isObject, type JsonObject, scalarText } from '../../../base/json.ts';
import { type ErrorReport, readErrorBody } from '../../errorBody.ts';
import type { FailureDetails } from '../../errorMapping.ts';
import { tellsNoRoute } from '../../errorWords.ts';
import { explain } from '../../explanations/explanation.ts';
import { recordObjects } from './objects.ts';
import { failureOfRefusal, hasHttpFailure, isFailedCall, refusingObject } from './refusal.ts';
import type { TaskSnapshot } from './snapshot.ts';
import { withNormalNames } from './spelling.ts';
import { classOfStatus, isCallStatus } from './statusWords.ts';

/**
 * The failure of a reply in place of a task record: a refusal under a good status. The record of a failed
 * task holds an error as well, but names its task or its status.
 *
 * @param asked the id in the request, if any
 */
export function refusalIn(snapshot: TaskSnapshot, asked?: string): FailureDetails | undefined {
  const { raw, results } = snapshot;
  const refusing = refusingObject(withNormalNames(raw));
  if (!refusing || results.length > 0 || isRecord(snapshot, refusing, asked)) return undefined;
  return failureOfRefusal(refusing);
}

/** A request about a task, and the member in which some gateways say whether they did it. */
export type TaskAct = 'cancel' | 'delete';

/**
 * The failure in the answer to a cancel or a delete. A refusal may hold the task's record, unless the record
 * itself explains the error.
 */
export function refusedAct(snapshot: TaskSnapshot, act: TaskAct): FailureDetails | undefined {
  const { raw, id, rawStatus } = snapshot;
  const record = recordObjects(raw)?.record;
  const refusing = refusingObject(withNormalNames(raw));
  const named = id !== undefined && rawStatus !== undefined;
  if (refusing && (refusing !== record || !named)) return failureOfRefusal(refusing);
  return answeredRecord(snapshot) || !isDenied(withNormalNames(raw), act) ? undefined : denied(act, raw);
}

/**
 * The record in the answer to a cancel or a delete; undefined when it only confirms. Then only reading the
 * task tells what became of it.
 */
export function answeredRecord(snapshot: TaskSnapshot): TaskSnapshot | undefined {
  const { id, rawStatus } = snapshot;
  return id !== undefined && rawStatus !== undefined && classOfStatus(rawStatus) !== undefined
    ? snapshot
    : undefined;
}

const taskWords =
  /\b(task|job|video|generation|interaction|operation|prediction|render|batch|entity|record)s?\b|任务|任務|作业|视频|记录/i;
const missingWords =
  /\bnot (be )?found\b|\bno such\b|\b(does|did|do) ?n[o'’]?t exist|\bnot exists?\b|\bunknown\b|\bmissing\b|\bno longer\b|\b(was|were|been|is|already|has) (deleted|removed|expired|gone|purged)\b|\b(cannot|can['’]t|could ?n[o'’]?t|unable to) (be )?(find|found|locate)|不存在|未找到|找不到|没有找到|沒有|没找到|查询不到|查无|无此|已(经|被)*(删除|刪除|过期|失效|清除)/i;
const routeWords = /\b(route|url|uri|path|endpoint|page|handler|method|api)\b|路由|路径|接口|地址|页面|网址/i;

/**
 * Whether a 404 is about the task, in English or Chinese. Only then the task does not exist: a web page, a
 * path, or a plain "Not Found" may have other causes.
 *
 * @param body the body of the reply as text
 */
export function tellsMissingTask(body: string, taskId: string): boolean {
  const report = readErrorBody(body);
  if (report.html || tellsNoRoute(report, false)) return false;
  return sentences(report).some((sentence) => {
    if (routeWords.test(sentence)) return false;
    return missingWords.test(sentence) && (taskWords.test(sentence) || sentence.includes(taskId));
  });
}

/** The message without addresses, and the codes as words: `TaskNotFound`, `task_not_exist`. */
function sentences({ message = '', words }: ErrorReport): readonly string[] {
  const codes = words.map((word) => word.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.:-]/g, ' '));
  return [message.replace(/(https?:\/\/|\/)\S+/g, ' '), ...codes];
}

/** Whether a reply that reports a failure is the record of a failed task. */
function isRecord(
  { id, rawStatus, raw }: TaskSnapshot,
  refusing: JsonObject,
  asked: string | undefined,
): boolean {
  const httpFailure = hasHttpFailure(refusing);
  const stated = rawStatus !== undefined && !isCallStatus(rawStatus);
  if (id !== undefined && stated) return !httpFailure || asked === undefined || id === asked;
  if (id !== undefined) return !httpFailure && !(isObject(raw) && 'data' in raw && !raw.data);
  return stated && !httpFailure && !isFailedCall(rawStatus) && !refusesCaller(refusing.error);
}

/** Such an error refuses the caller: no task fails with it. */
function refusesCaller(error: unknown): boolean {
  return isObject(error) && /^(401|403|429)$/.test(scalarText(error.code));
}

const doneKeys: Record<TaskAct, readonly string[]> = {
  cancel: ['cancelled', 'canceled', 'cancel', 'aborted', 'stopped'],
  delete: ['deleted', 'delete', 'removed', 'deleteResult', 'deleted_count', 'deletedCount', 'affected'],
};

/** No gateway nests deeper. */
const maxDepth = 8;

/** Sentences that say that nothing was done. */
const notDoneWords =
  /\b(can ?not|can['’]t|could ?n[o'’]?t|unable|not|fail(ed|ure)?|denied|refused|locked|error)\b|失败|不能|无法|不存在|不允许|不支持|错误/i;

function isDenied(raw: unknown, act: TaskAct, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(raw) && raw.length === 1) return isDenied(raw[0], act, depth + 1);
  if (typeof raw === 'string') return notDoneWords.test(raw);
  if (!isObject(raw)) return raw === false;
  if (doneKeys[act].some((key) => isNothing(raw[key]))) return true;
  if ([raw.message, raw.msg, raw.status, raw.state].some((words) => tellsNotDone(words))) return true;
  return (
    raw.data === false ||
    raw.result === false ||
    isDenied(raw.data, act, depth + 1) ||
    isDenied(raw.result, act, depth + 1)
  );
}

function isNothing(done: unknown): boolean {
  return Array.isArray(done) ? done.length === 0 : done === null || /^(false|0|no)$/i.test(scalarText(done));
}

function tellsNotDone(words: unknown): boolean {
  return typeof words === 'string' && notDoneWords.test(words.replaceAll('_', ' '));
}

const deniedActs = { cancel: 'cancel-denied', delete: 'delete-denied' } as const;

function denied(act: TaskAct, raw: unknown): FailureDetails {
  const { gatewayMessage } = failureOfRefusal(isObject(raw) ? raw : {});
  return {
    kind: 'invalid-parameters',
    explanation: explain(deniedActs[act]),
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  };
}
