import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import { isUnrelatedMember, membersOf, memberWords } from './memberNames.ts';
import { withNormalNames } from './normalNames.ts';
import { classOfStatus, isAmbiguousStatus, isCallStatus, isEndOfCall } from './statusWords.ts';
import { hasCertainTaskId, hasOnlyRequestId, ownIdOf } from './taskId.ts';

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
  ...['body', 'resp', 'info', 'item', 'video', 'tasks', 'jobs', 'videos', 'generations'],
  ...['predictions', 'operations', 'interactions', 'list', 'items', 'records'],
  'generated_image_variation_generic',
];

/** Members with the status of a task. Next to `task_status` and similar ones, `status` is about the call. */
const statusKeys = [
  ...['task_status', 'taskStatus', 'job_status', 'jobStatus', 'status', 'state', 'raw_status', 'successFlag'],
];

/** No gateway nests deeper. */
const maxDepth = 16;

/** The objects of a reply that may hold members of a task record. */
export interface RecordObjects {
  /** The task's own object, with an id and a status. */
  readonly record: JsonObject;
  /** Objects inside it, the outermost first. */
  readonly within: readonly JsonObject[];
  /** Objects around it, the innermost first, and the other objects in these. */
  readonly around: readonly JsonObject[];
  /** The original status word of the record; a number as digits. */
  readonly rawStatus: string | undefined;
}

/** An object of a reply with the contents of its wrappers. */
interface Node {
  readonly object: JsonObject;
  /** The wrapper that holds it; empty for the reply itself. */
  readonly key: string;
  readonly inner: readonly Node[];
}

/** The objects of a reply that belong to a task, the most likely first. */
export function objectsOf(reply: unknown): readonly JsonObject[] {
  const found = recordObjects(reply);
  return found ? taskObjects(found) : [];
}

/** All objects about the task, the record first. */
export function taskObjects({ record, within, around }: RecordObjects): readonly JsonObject[] {
  return [record, ...within, ...around];
}

/**
 * Finds the task's own object in any envelope.
 *
 * @returns undefined when the reply holds no object
 */
export function recordObjects(reply: unknown): RecordObjects | undefined {
  const root = onlyObject(withNormalNames(reply));
  if (!root) return undefined;
  const path = pathToRecord(nodeOf(root, '', 0));
  const [record, ...enclosing] = path.toReversed();
  if (!record) return undefined;
  const within = descendants(record);
  const seen = new Set([record.object, ...within]);
  const others = [...enclosing.map(({ object }) => object), ...enclosing.flatMap(descendants)];
  const around = [...new Set(others)].filter((object) => !seen.has(object));
  return { record: record.object, within, around, rawStatus: statusOfRecord(record, around) };
}

function nodeOf(object: JsonObject, key: string, depth: number): Node {
  const keys = depth < maxDepth ? keysOfWrappers(object) : [];
  const inner = keys.flatMap((wrapper) => {
    const wrapped = unwrap(object, wrapper);
    return wrapped ? [nodeOf(wrapped, wrapper, depth + 1)] : [];
  });
  return { object, key, inner };
}

/** The most wrappers with other names that are opened. */
const maxOtherWrappers = 8;

/**
 * Members named after a kind of task: `AigcVideoTask` of Tencent, `sdGenerationJob` and `generations_by_pk` of
 * Leonardo.
 */
const namedTask = /(?:[a-z\d](?:Task|Job)|_(?:task|job|by_pk))$/;

function keysOfWrappers(object: JsonObject): readonly string[] {
  const isTask = ownIdOf(object) !== undefined || statusKind(object) === 'own';
  const byName = Object.keys(object)
    .filter((key) => namedTask.test(key))
    .slice(0, maxOtherWrappers);
  if (isTask) return [...wrappers, ...byName];
  const knownKeys = new Set([...wrappers, ...byName, ...envelopes]);
  const others = Object.keys(object).filter((key) => !knownKeys.has(key) && holdsTask(object[key], key));
  return [...knownKeys, ...others.slice(0, maxOtherWrappers)];
}

/** Whether a member with another name holds the only object with a certain status. */
function holdsTask(value: unknown, key: string): boolean {
  if (!isObject(value) || isUnrelatedMember(key)) return false;
  const rawStatus = ownStatus(value);
  return rawStatus !== undefined && classOfStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/**
 * The content of a wrapper: an object, the only object of a list, or either as JSON text. Results may also be a
 * list of one, or text that looks like JSON, so these are opened only if the owner is not itself a task.
 */
function unwrap(owner: JsonObject, wrapper: string): JsonObject | undefined {
  const value = owner[wrapper];
  if (isObject(value)) return value;
  const hasId = ownIdOf(owner) !== undefined;
  const hasStatus = statusKind(owner) === 'own';
  if (wrapper === 'data' ? hasId && hasStatus : hasId || hasStatus) return undefined;
  return onlyObject(
    typeof value === 'string' && /^\s*[[{]/.test(value) ? withNormalNames(parseExactJson(value)) : value,
  );
}

/** The value if it is an object, or the only object of a list. */
function onlyObject(value: unknown): JsonObject | undefined {
  let single = value;
  for (let depth = 0; depth < maxDepth && Array.isArray(single) && single.length === 1; depth += 1) {
    [single] = single;
  }
  return isObject(single) ? single : undefined;
}

/** The nodes from the reply to the task's own object. */
function pathToRecord(node: Node): readonly Node[] {
  const paths = node.inner.map(pathToRecord);
  const [best] = paths.toSorted((one, other) => weight(other.at(-1)) - weight(one.at(-1)));
  const record = best?.at(-1);
  return best && record && outranks(record, node, best) ? [node, ...best] : [node];
}

/** The likelihood that a node is the task's own object; higher is more likely. */
function weight(node: Node | undefined): number {
  if (!node) return 0;
  const status = { none: 0, call: 1, own: 2 }[statusKind(node.object)];
  const requestIdWeight = hasOnlyRequestId(node.object) ? 1 : 0;
  return (ownIdOf(node.object) === undefined ? requestIdWeight : 3) + status;
}

/** Whether the inner object is the task's own object instead of the outer object. */
function outranks({ object: inner }: Node, { object: outer }: Node, path: readonly Node[]): boolean {
  if (!looksLikeTask(inner)) return false;
  const isComplete = ownIdOf(inner) !== undefined && statusKind(inner) !== 'none';
  const status = statusKind(outer);
  const outerId = ownIdOf(outer);
  if (outerId === undefined) return status !== 'own' || isComplete;
  // The outer object has the gateway's own id, next to a record of the provider.
  if (status === 'own' || hasCertainTaskId(outer)) return false;
  return isComplete && path[0]?.key !== 'output';
}

function looksLikeTask(object: JsonObject): boolean {
  return ownIdOf(object) !== undefined || statusKind(object) !== 'none' || hasOnlyRequestId(object);
}

/** Whether an object has a status: its own, or one that may describe the call. */
function statusKind(object: JsonObject): 'own' | 'call' | 'none' {
  if (typeof object.done === 'boolean') return 'own';
  const rawStatus = ownStatus(object);
  if (rawStatus === undefined) return 'none';
  return isCallStatus(rawStatus) ? 'call' : 'own';
}

function descendants({ inner }: Node): readonly JsonObject[] {
  return [...inner.map(({ object }) => object), ...inner.flatMap(descendants)];
}

/**
 * The status of the record. A final status may describe a call to this gateway or to its upstream; then the status
 * of an inner object is more reliable.
 */
function statusOfRecord(record: Node, around: readonly JsonObject[]): string | undefined {
  const own = ownStatus(record.object);
  if (typeof record.object.done === 'boolean' || (own !== undefined && !isEndOfCall(own))) return own;
  const outer = () => around.map(ownStatus).find((each) => each !== undefined && !isEndOfCall(each));
  const deeper = deeperStatus(record);
  if (deeper !== undefined) return deeper;
  return own === undefined || /^\d+$/.test(own) ? (outer() ?? own) : own;
}

/** The first status of the task in the objects inside a node. */
function deeperStatus({ inner }: Node): string | undefined {
  for (const node of inner) {
    const own = ownStatus(node.object);
    const taskStatus = own !== undefined && isTaskStatus(node.object, own) ? own : undefined;
    const rawStatus =
      taskStatus === undefined || isEndOfCall(taskStatus) ? (deeperStatus(node) ?? taskStatus) : taskStatus;
    if (rawStatus !== undefined) return rawStatus;
  }
  return undefined;
}

/** Whether a status is about the task instead of one of its results. */
function isTaskStatus(object: JsonObject, rawStatus: string): boolean {
  if (ownIdOf(object) !== undefined || nonEmptyString(object.task_status) !== undefined) return true;
  return classOfStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/** An object's status. Strings precede numbers, which differ between vendors; words for success come last. */
function ownStatus(object: JsonObject): string | undefined {
  const statuses = statusKeys
    .map((key) => (key === 'successFlag' ? flagWord(object[key]) : statusIn(object[key])))
    .filter((each) => each !== undefined);
  const word = statuses.find((each) => !isCallStatus(each)) ?? statuses.find((each) => !/^\d+$/.test(each));
  return word ?? otherStatus(object) ?? statuses[0];
}

/** Words in the names of members with the state of a part, of the call, or of something unrelated to the task. */
const partWords: ReadonlySet<string> = new Set(
  (
    'review moderation audit payment billing order upload download webhook callback account user http response api ' +
    'call request sub step publish share sync safety file watermark upscale queue worker runner server machine'
  ).split(' '),
);

/** The status in a member with another name, such as `execute_status`, `video_status_name` or `JobStatusMsg`. */
function otherStatus(object: JsonObject): string | undefined {
  const member = membersOf(object).find(([key, value]) => {
    if (typeof value !== 'string' || statusKeys.includes(key) || !/stat(us|e)/i.test(key)) return false;
    const words = memberWords(key);
    const index = words.findIndex((word) => word === 'status' || word === 'state');
    if (index === -1 || words.length - index > 2 || words.some((word) => partWords.has(word))) return false;
    return classOfStatus(value) !== undefined && !isCallStatus(value);
  });
  return member && nonEmptyString(member[1]);
}

/** The flag of a generation (kie.ai): a word, or a number that represents one. */
function flagWord(value: unknown): string | undefined {
  return typeof value === 'number'
    ? ['generating', 'success', 'failed', 'failed'][value]
    : nonEmptyString(value);
}

function statusIn(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return nonEmptyString(value);
  return nonEmptyString(value.state) ?? nonEmptyString(value.name) ?? nonEmptyString(value.phase);
}
