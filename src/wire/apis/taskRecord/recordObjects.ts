import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import { isUnrelatedMember, listMembers, normalizeNames, splitMemberName } from './memberNames.ts';
import { classifyStatus, isAmbiguousStatus, isCallStatus, isEndOfCall } from './statusWords.ts';
import { hasCertainTaskId, hasOnlyRequestId, readOwnId } from './taskId.ts';

/** Members that wrap a record, or the part of it with its status, the most likely first. */
const wrappers = [
  'data',
  'task',
  'interaction',
  'output',
  'result',
  'response',
  'payload',
  'record',
  'job',
  'prediction',
  'generation',
  'operation',
  'attributes',
];

/** Members that wrap a record only if their owner is not itself a task; otherwise they are parts or products. */
const envelopes = [
  'body',
  'resp',
  'info',
  'item',
  'video',
  'tasks',
  'jobs',
  'videos',
  'generations',
  'predictions',
  'operations',
  'interactions',
  'list',
  'items',
  'records',
  'generated_image_variation_generic',
];

/** Members with the status of a task. Next to `task_status` and similar members, `status` is about the call. */
const statusKeys = [
  'task_status',
  'taskStatus',
  'job_status',
  'jobStatus',
  'status',
  'state',
  'raw_status',
  'successFlag',
];

/** No gateway nests deeper. */
const maxDepth = 16;

/** The objects of a reply that may contain members of a task record. */
export interface RecordObjects {
  /** The task's own object, with an id and a status. */
  readonly record: JsonObject;
  /** Objects inside it, the outermost first. */
  readonly within: readonly JsonObject[];
  /** Objects around it, the innermost first, and the other objects in these objects. */
  readonly around: readonly JsonObject[];
  /** The original status word of the record; a number as digits. */
  readonly rawStatus: string | undefined;
}

/** An object of a reply with the contents of its wrappers. */
interface RecordNode {
  readonly object: JsonObject;
  /** The wrapper that contains it; empty for the reply itself. */
  readonly key: string;
  readonly inner: readonly RecordNode[];
}

/** The objects of a reply that belong to a task, the most likely first. */
export function findTaskObjects(reply: unknown): readonly JsonObject[] {
  const found = findRecordObjects(reply);
  return found ? listTaskObjects(found) : [];
}

/** All objects about the task, the record first. */
export function listTaskObjects({ record, within, around }: RecordObjects): readonly JsonObject[] {
  return [record, ...within, ...around];
}

/**
 * Finds the task's own object in any envelope.
 *
 * @returns undefined if the reply does not contain an object
 */
export function findRecordObjects(reply: unknown): RecordObjects | undefined {
  const root = unwrapSingle(normalizeNames(reply));
  if (!root) return undefined;
  const path = findPathToRecord(createNode(root, '', 0));
  const [record, ...enclosing] = path.toReversed();
  if (!record) return undefined;
  const within = listDescendants(record);
  const seen = new Set([record.object, ...within]);
  const others = [...enclosing.map(({ object }) => object), ...enclosing.flatMap(listDescendants)];
  const around = [...new Set(others)].filter((object) => !seen.has(object));
  return { record: record.object, within, around, rawStatus: findRecordStatus(record, around) };
}

function createNode(object: JsonObject, key: string, depth: number): RecordNode {
  const keys = depth < maxDepth ? listWrapperKeys(object) : [];
  const inner = keys.flatMap((wrapper) => {
    const wrapped = unwrap(object, wrapper);
    return wrapped ? [createNode(wrapped, wrapper, depth + 1)] : [];
  });
  return { object, key, inner };
}

/** The most wrappers with other names that are read. */
const maxOtherWrappers = 8;

/**
 * Members named after a kind of task: `AigcVideoTask` of Tencent, `sdGenerationJob` and `generations_by_pk` of
 * Leonardo.
 */
const namedTask = /(?:[a-z\d](?:Task|Job)|_(?:task|job|by_pk))$/;

function listWrapperKeys(object: JsonObject): readonly string[] {
  const isTask = readOwnId(object) !== undefined || findStatusKind(object) === 'own';
  const byName = Object.keys(object)
    .filter((key) => namedTask.test(key))
    .slice(0, maxOtherWrappers);
  if (isTask) return [...wrappers, ...byName];
  const knownKeys = new Set([...wrappers, ...byName, ...envelopes]);
  const others = Object.keys(object).filter((key) => !knownKeys.has(key) && containsTask(object[key], key));
  return [...knownKeys, ...others.slice(0, maxOtherWrappers)];
}

/** Whether a member with another name contains an object with an unambiguous status. */
function containsTask(value: unknown, key: string): boolean {
  if (!isObject(value) || isUnrelatedMember(key)) return false;
  const rawStatus = readOwnStatus(value);
  return rawStatus !== undefined && classifyStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/**
 * The content of a wrapper: an object, the only object of a list, or either as JSON text. A result may also be a list
 * with one element, or text that looks like JSON, so these are read only if the owner is not itself a task.
 */
function unwrap(owner: JsonObject, wrapper: string): JsonObject | undefined {
  const value = owner[wrapper];
  if (isObject(value)) return value;
  const hasId = readOwnId(owner) !== undefined;
  const hasStatus = findStatusKind(owner) === 'own';
  if (wrapper === 'data' ? hasId && hasStatus : hasId || hasStatus) return undefined;
  return unwrapSingle(
    typeof value === 'string' && /^\s*[[{]/.test(value) ? normalizeNames(parseExactJson(value)) : value,
  );
}

/** The value if it is an object, or the only object of a list. */
function unwrapSingle(value: unknown): JsonObject | undefined {
  let single = value;
  for (let depth = 0; depth < maxDepth && Array.isArray(single) && single.length === 1; depth += 1) {
    [single] = single;
  }
  return isObject(single) ? single : undefined;
}

/** The nodes from the reply to the task's own object. */
function findPathToRecord(node: RecordNode): readonly RecordNode[] {
  const paths = node.inner.map(findPathToRecord);
  const [best] = paths.toSorted((one, other) => weigh(other.at(-1)) - weigh(one.at(-1)));
  const record = best?.at(-1);
  return best && record && outranks(record, node, best) ? [node, ...best] : [node];
}

/** The likelihood that a node is the task's own object; higher is more likely. */
function weigh(node: RecordNode | undefined): number {
  if (!node) return 0;
  const status = { none: 0, call: 1, own: 2 }[findStatusKind(node.object)];
  const requestIdWeight = hasOnlyRequestId(node.object) ? 1 : 0;
  return (readOwnId(node.object) === undefined ? requestIdWeight : 3) + status;
}

/** Whether the inner object is the task's own object instead of the outer object. */
function outranks(
  { object: inner }: RecordNode,
  { object: outer }: RecordNode,
  path: readonly RecordNode[],
): boolean {
  if (!looksLikeTask(inner)) return false;
  const isComplete = readOwnId(inner) !== undefined && findStatusKind(inner) !== 'none';
  const status = findStatusKind(outer);
  const outerId = readOwnId(outer);
  if (outerId === undefined) return status !== 'own' || isComplete;
  // The outer object has the gateway's own id, next to a record of the provider.
  if (status === 'own' || hasCertainTaskId(outer)) return false;
  return isComplete && path[0]?.key !== 'output';
}

function looksLikeTask(object: JsonObject): boolean {
  return readOwnId(object) !== undefined || findStatusKind(object) !== 'none' || hasOnlyRequestId(object);
}

/** Whether an object has a status: its own, or one that may describe the call. */
function findStatusKind(object: JsonObject): 'own' | 'call' | 'none' {
  if (typeof object.done === 'boolean') return 'own';
  const rawStatus = readOwnStatus(object);
  if (rawStatus === undefined) return 'none';
  return isCallStatus(rawStatus) ? 'call' : 'own';
}

function listDescendants({ inner }: RecordNode): readonly JsonObject[] {
  return [...inner.map(({ object }) => object), ...inner.flatMap(listDescendants)];
}

/**
 * The status of the record. A final status may describe a call to this gateway or to its upstream; then the status
 * of an inner object is more reliable.
 */
function findRecordStatus(record: RecordNode, around: readonly JsonObject[]): string | undefined {
  const own = readOwnStatus(record.object);
  if (typeof record.object.done === 'boolean' || (own !== undefined && !isEndOfCall(own))) return own;
  const outer = () => around.map(readOwnStatus).find((each) => each !== undefined && !isEndOfCall(each));
  const deeper = findInnerStatus(record);
  if (deeper !== undefined) return deeper;
  return own === undefined || /^\d+$/.test(own) ? (outer() ?? own) : own;
}

/** The first status of the task in the objects inside a node. */
function findInnerStatus({ inner }: RecordNode): string | undefined {
  for (const node of inner) {
    const own = readOwnStatus(node.object);
    const taskStatus = own !== undefined && isTaskStatus(node.object, own) ? own : undefined;
    const rawStatus =
      taskStatus === undefined || isEndOfCall(taskStatus)
        ? (findInnerStatus(node) ?? taskStatus)
        : taskStatus;
    if (rawStatus !== undefined) return rawStatus;
  }
  return undefined;
}

/** Whether a status is about the task instead of one of its results. */
function isTaskStatus(object: JsonObject, rawStatus: string): boolean {
  if (readOwnId(object) !== undefined || nonEmptyString(object.task_status) !== undefined) return true;
  return classifyStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/**
 * An object's status. Words that may describe the call, such as `success`, have low precedence. Numbers have the
 * lowest, because their meanings differ between vendors.
 */
function readOwnStatus(object: JsonObject): string | undefined {
  const statuses = statusKeys
    .map((key) => (key === 'successFlag' ? readFlagWord(object[key]) : readStatus(object[key])))
    .filter((each) => each !== undefined);
  const word = statuses.find((each) => !isCallStatus(each)) ?? statuses.find((each) => !/^\d+$/.test(each));
  return word ?? findOtherStatus(object) ?? statuses[0];
}

/** Words in the names of members with the state of a part, of the call, or of something unrelated to the task. */
const partWords: ReadonlySet<string> = new Set(
  (
    'review moderation audit payment billing order upload download webhook callback account user http response api ' +
    'call request sub step publish share sync safety file watermark upscale queue worker runner server machine'
  ).split(' '),
);

/** The status in a member with another name, such as `execute_status`, `video_status_name` or `JobStatusMsg`. */
function findOtherStatus(object: JsonObject): string | undefined {
  const member = listMembers(object).find(([key, value]) => {
    if (typeof value !== 'string' || statusKeys.includes(key) || !/stat(us|e)/i.test(key)) return false;
    const words = splitMemberName(key);
    const index = words.findIndex((word) => word === 'status' || word === 'state');
    if (index === -1 || words.length - index > 2 || words.some((word) => partWords.has(word))) return false;
    return classifyStatus(value) !== undefined && !isCallStatus(value);
  });
  return member && nonEmptyString(member[1]);
}

/** The flag of a generation (kie.ai): a word, or a number that represents a word. */
function readFlagWord(value: unknown): string | undefined {
  return typeof value === 'number'
    ? ['generating', 'success', 'failed', 'failed'][value]
    : nonEmptyString(value);
}

function readStatus(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return nonEmptyString(value);
  return nonEmptyString(value.state) ?? nonEmptyString(value.name) ?? nonEmptyString(value.phase);
}
