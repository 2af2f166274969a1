import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import { isAsideName, membersOf, memberWords } from './memberNames.ts';
import { isKnownByRequest, isTaskName, nameIn } from './names.ts';
import { withNormalNames } from './spelling.ts';
import { classOfStatus, isAmbiguousStatus, isCallStatus, isEndOfCall } from './statusWords.ts';

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

/** Members that wrap a record as well, but are a part or a product of an object that is a task itself. */
const envelopes = [
  ...['body', 'resp', 'info', 'item', 'video', 'tasks', 'jobs', 'videos', 'generations'],
  ...[
    'predictions',
    'operations',
    'interactions',
    'list',
    'items',
    'records',
    'generated_image_variation_generic',
  ],
];

/** Members with the status of a task. Where a gateway has both kinds, the plain ones are about the call. */
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
  /** Objects around it, the innermost first, and their other contents. */
  readonly around: readonly JsonObject[];
  /** The record's own word for its status; a number as digits. */
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
  return found ? objectsIn(found) : [];
}

/** All objects that tell of the task, the record first. */
export function objectsIn({ record, within, around }: RecordObjects): readonly JsonObject[] {
  return [record, ...within, ...around];
}

/**
 * Finds the task's own object in any envelope.
 *
 * @returns undefined when the reply holds no object
 */
export function recordObjects(reply: unknown): RecordObjects | undefined {
  const root = only(withNormalNames(reply));
  if (!root) return undefined;
  const path = pathToRecord(nodeOf(root, '', 0));
  const [found, ...enclosing] = path.toReversed();
  if (!found) return undefined;
  const within = descendants(found);
  const seen = new Set([found.object, ...within]);
  const around = [...enclosing.map(({ object }) => object), ...enclosing.flatMap(descendants)];
  const others = [...new Set(around)].filter((object) => !seen.has(object));
  return { record: found.object, within, around: others, rawStatus: statusOfRecord(found, others) };
}

function nodeOf(object: JsonObject, key: string, depth: number): Node {
  const keys = depth < maxDepth ? keysOfWrappers(object) : [];
  const inner = keys.flatMap((wrapper) => {
    const wrapped = open(object, wrapper);
    return wrapped ? [nodeOf(wrapped, wrapper, depth + 1)] : [];
  });
  return { object, key, inner };
}

/** An object with more wrappers whose names are not known is no record. */
const maxOtherWrappers = 8;

/** Members named after a kind of task: `AigcVideoTask` of Tencent, `sdGenerationJob` and `generations_by_pk` of Leonardo. */
const namedTask = /(?:[a-z\d](?:Task|Job)|_(?:task|job|by_pk))$/;

function keysOfWrappers(object: JsonObject): readonly string[] {
  const isTask = nameIn(object) !== undefined || statusKind(object) === 'own';
  const byName = Object.keys(object)
    .filter((key) => namedTask.test(key))
    .slice(0, maxOtherWrappers);
  if (isTask) return [...wrappers, ...byName];
  const known = new Set([...wrappers, ...byName, ...envelopes]);
  const others = Object.keys(object).filter((key) => !known.has(key) && holdsTask(object[key], key));
  return [...known, ...others.slice(0, maxOtherWrappers)];
}

/** Whether a member with another name holds the only object with a certain status. */
function holdsTask(value: unknown, key: string): boolean {
  if (!isObject(value) || isAsideName(key)) return false;
  const rawStatus = ownStatus(value);
  return rawStatus !== undefined && classOfStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/**
 * The content of a wrapper: an object, the only one of a list, or either as JSON text. Results may also be a
 * list of one, or text that looks like JSON, so these are opened only when the owner is no task itself.
 */
function open(owner: JsonObject, wrapper: string): JsonObject | undefined {
  const value = owner[wrapper];
  if (isObject(value)) return value;
  const named = nameIn(owner) !== undefined;
  const stated = statusKind(owner) === 'own';
  if (wrapper === 'data' ? named && stated : named || stated) return undefined;
  return only(
    typeof value === 'string' && /^\s*[[{]/.test(value) ? withNormalNames(parseExactJson(value)) : value,
  );
}

/** The value if it is an object, or the only object of a list. */
function only(value: unknown): JsonObject | undefined {
  let single = value;
  for (let depth = 0; depth < maxDepth && Array.isArray(single) && single.length === 1; depth += 1) {
    [single] = single;
  }
  return isObject(single) ? single : undefined;
}

/** The nodes from the reply to the task's own object. */
function pathToRecord(node: Node): readonly Node[] {
  const paths = node.inner.map(pathToRecord);
  const best = paths.toSorted((a, b) => weight(b.at(-1)) - weight(a.at(-1)))[0];
  const found = best?.at(-1);
  return best && found && outranks(found, node, best) ? [node, ...best] : [node];
}

/** How much evidence there is that a node is the task's own object. */
function weight(node: Node | undefined): number {
  if (!node) return 0;
  const status = { none: 0, call: 1, own: 2 }[statusKind(node.object)];
  const known = isKnownByRequest(node.object) ? 1 : 0;
  return (nameIn(node.object) === undefined ? known : 3) + status;
}

/** Whether the inner object is the task's own, and not the outer one. */
function outranks({ object: inner }: Node, { object: outer }: Node, path: readonly Node[]): boolean {
  if (!looksLikeTask(inner)) return false;
  const complete = nameIn(inner) !== undefined && statusKind(inner) !== 'none';
  const status = statusKind(outer);
  const name = nameIn(outer);
  if (name === undefined) return status !== 'own' || complete;
  // The outer object has the gateway's own id, beside a record of the provider.
  if (status === 'own' || isTaskName(outer)) return false;
  return complete && path[0]?.key !== 'output';
}

function looksLikeTask(object: JsonObject): boolean {
  return nameIn(object) !== undefined || statusKind(object) !== 'none' || isKnownByRequest(object);
}

/** Whether an object has a status: of its own, or one that may be about the call. */
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
 * A final status may be that of a call, by this gateway or by the one behind it; an inner status is more
 * reliable.
 */
function statusOfRecord(record: Node, around: readonly JsonObject[]): string | undefined {
  const own = ownStatus(record.object);
  if (typeof record.object.done === 'boolean' || (own !== undefined && !isEndOfCall(own))) return own;
  const outer = () => around.map(ownStatus).find((each) => each !== undefined && !isEndOfCall(each));
  const deeper = deeperStatus(record);
  if (deeper !== undefined) return deeper;
  return own === undefined || /^\d+$/.test(own) ? (outer() ?? own) : own;
}

function deeperStatus({ inner }: Node): string | undefined {
  for (const node of inner) {
    const own = ownStatus(node.object);
    const telling = own !== undefined && tells(node.object, own) ? own : undefined;
    const rawStatus =
      telling === undefined || isEndOfCall(telling) ? (deeperStatus(node) ?? telling) : telling;
    if (rawStatus !== undefined) return rawStatus;
  }
  return undefined;
}

/** Whether a status is about the task, and not about one of its results. */
function tells(object: JsonObject, rawStatus: string): boolean {
  if (nameIn(object) !== undefined || nonEmptyString(object.task_status) !== undefined) return true;
  return classOfStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/**
 * Strings come before numbers, which differ between vendors, and words for tasks come before words of
 * success.
 */
function ownStatus(object: JsonObject): string | undefined {
  const told = statusKeys
    .map((key) => (key === 'successFlag' ? flagWord(object[key]) : statusIn(object[key])))
    .filter((each) => each !== undefined);
  const word = told.find((each) => !isCallStatus(each)) ?? told.find((each) => !/^\d+$/.test(each));
  return word ?? otherStatus(object) ?? told[0];
}

/** Words of members with the state of a part, of the call, or of something unrelated to the task. */
const partWords: ReadonlySet<string> = new Set(
  (
    'review moderation audit payment billing order upload download webhook callback account user http response api ' +
    'call request sub step publish share sync safety file watermark upscale queue worker runner server machine'
  ).split(' '),
);

/** The status in a member with another name, such as `execute_status`, `video_status_name` or `JobStatusMsg`. */
function otherStatus(object: JsonObject): string | undefined {
  const told = membersOf(object).find(([key, value]) => {
    if (typeof value !== 'string' || statusKeys.includes(key) || !/stat(us|e)/i.test(key)) return false;
    const words = memberWords(key);
    const at = words.findIndex((word) => word === 'status' || word === 'state');
    if (at === -1 || words.length - at > 2 || words.some((word) => partWords.has(word))) return false;
    return classOfStatus(value) !== undefined && !isCallStatus(value);
  });
  return told && nonEmptyString(told[1]);
}

/** The flag of a generation (kie.ai): a word, or a number for one. */
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
