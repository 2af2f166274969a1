import { isObject, type JsonObject } from '../../../base/json.ts';
import type { FailureDetails } from '../../errorMapping.ts';
import { failureOfRefusal, hasHttpFailure, isFailedCall, refusingObject } from '../refusal.ts';
import type { TaskSnapshot } from './decode.ts';
import { recordObjects } from './objects.ts';
import { withUsualNames } from './spelling.ts';
import { classOfStatus, isCallStatus } from './statusWords.ts';

/**
 * What is wrong with a reply that should have been a task record and is none: a refusal under a good status.
 * A record of a failed task holds an error too, but names its task or its status.
 *
 * @param asked the id of the task that was asked for, if any
 */
export function refusalIn(snapshot: TaskSnapshot, asked?: string): FailureDetails | undefined {
  const { raw, results } = snapshot;
  const refusing = refusingObject(withUsualNames(raw));
  if (!refusing || results.length > 0 || isRecord(snapshot, refusing, asked)) return undefined;
  return failureOfRefusal(refusing);
}

/** What a gateway is asked to do with a task, and the member in which some say whether they have done so. */
export type TaskAct = 'cancel' | 'delete';

/**
 * What is wrong with the answer to a cancel or a delete. It is a refusal also where it holds the task's record,
 * as long as it is not the record itself that tells of a failure.
 */
export function refusedAct(snapshot: TaskSnapshot, act: TaskAct): FailureDetails | undefined {
  const { raw, id, rawStatus } = snapshot;
  const record = recordObjects(raw)?.record;
  const refusing = refusingObject(withUsualNames(raw));
  const named = id !== undefined && rawStatus !== undefined;
  if (refusing && (refusing !== record || !named)) return failureOfRefusal(refusing);
  return answeredRecord(snapshot) || !isDenied(withUsualNames(raw), act) ? undefined : denied(act, raw);
}

/**
 * The record in the answer to a cancel or a delete; undefined when it only says that it was heard, after
 * which reading the task again is what tells.
 */
export function answeredRecord(snapshot: TaskSnapshot): TaskSnapshot | undefined {
  const { id, rawStatus } = snapshot;
  return id !== undefined && rawStatus !== undefined && classOfStatus(rawStatus) !== undefined
    ? snapshot
    : undefined;
}

/** Whether a reply that tells of a failure is the record of a task, which may have failed. */
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

/** Whoever asks is refused: no task fails of that. */
function refusesCaller(error: unknown): boolean {
  return isObject(error) && /^(401|403|429)$/.test(String(error.code));
}

const doneKeys: Record<TaskAct, readonly string[]> = {
  cancel: ['cancelled', 'canceled', 'cancel', 'aborted', 'stopped'],
  delete: ['deleted', 'delete', 'removed', 'deleteResult', 'deleted_count', 'deletedCount', 'affected'],
};

/** No gateway nests deeper. */
const maxDepth = 8;

/** What an answer that only speaks says where nothing was done. */
const NOT_DONE =
  /\b(can ?not|can['’]t|could ?n[o'’]?t|unable|not|fail(ed|ure)?|denied|refused|locked|error)\b|失败|不能|无法|不存在|不允许|不支持|错误/i;

function isDenied(raw: unknown, act: TaskAct, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(raw) && raw.length === 1) return isDenied(raw[0], act, depth + 1);
  if (typeof raw === 'string') return NOT_DONE.test(raw);
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
  return Array.isArray(done) ? done.length === 0 : done === null || /^(false|0|no)$/i.test(String(done));
}

function tellsNotDone(words: unknown): boolean {
  return typeof words === 'string' && NOT_DONE.test(words.replaceAll('_', ' '));
}

function denied(act: TaskAct, raw: unknown): FailureDetails {
  const { gatewayMessage } = failureOfRefusal(isObject(raw) ? raw : {});
  return {
    kind: 'invalid-parameters',
    message: `The gateway answered that it did not ${act} the task: look at how it stands.`,
    ...(gatewayMessage !== undefined && { gatewayMessage }),
  };
}
