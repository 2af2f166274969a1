import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import { isKnownByRequest, isTaskName, nameIn } from './names.ts';
import { withUsualNames } from './spelling.ts';
import { classOfStatus, isAmbiguousStatus, isCallStatus, isEndOfCall } from './statusWords.ts';

/** Members that wrap a record, or the part of it that tells how it went, the likeliest first. */
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

/** Members that wrap a record, too, but are a part or a product of it where their owner is a task itself. */
const envelopes = [
  ...['body', 'resp', 'info', 'item', 'video', 'tasks', 'jobs', 'videos', 'generations'],
  ...['predictions', 'operations', 'interactions', 'list', 'items', 'records'],
];

/** Members with the status of a task. A gateway that has both means the call by the plain ones. */
const statusKeys = ['task_status', 'taskStatus', 'job_status', 'jobStatus', 'status', 'state', 'raw_status'];

/** No gateway nests deeper. */
const maxDepth = 16;

/** The objects of a reply in which members of the task record may stand. */
export interface RecordObjects {
  /** The task's own object: the one with an id and a status. */
  readonly record: JsonObject;
  /** What it wraps, the outermost first. */
  readonly within: readonly JsonObject[];
  /** What wraps it, the innermost first, and what else that wraps. */
  readonly around: readonly JsonObject[];
  /** The record's own word for its status; a number as its digits. */
  readonly rawStatus: string | undefined;
}

/** An object of a reply, and what its wrappers hold. */
interface Node {
  readonly object: JsonObject;
  /** The wrapper it was found in; empty for the reply itself. */
  readonly key: string;
  readonly inner: readonly Node[];
}

/** The objects of a reply that belong to a task, the likeliest first. */
export function objectsOf(reply: unknown): readonly JsonObject[] {
  const found = recordObjects(reply);
  return found ? objectsIn(found) : [];
}

export function objectsIn({ record, within, around }: RecordObjects): readonly JsonObject[] {
  return [record, ...within, ...around];
}

/** Finds the task's own object, whatever envelopes it came in; undefined when the reply holds no object. */
export function recordObjects(reply: unknown): RecordObjects | undefined {
  const root = only(withUsualNames(reply));
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

function keysOfWrappers(object: JsonObject): readonly string[] {
  const isTask = nameIn(object) !== undefined || statusKind(object) === 'own';
  return isTask ? wrappers : [...wrappers, ...envelopes];
}

/**
 * What a wrapper holds: an object, the only one of a list, or either as JSON text. What a task made may be a
 * list of one, too, or a text that looks like JSON: those are opened only where the owner is no task itself.
 */
function open(owner: JsonObject, wrapper: string): JsonObject | undefined {
  const value = owner[wrapper];
  if (isObject(value)) return value;
  const named = nameIn(owner) !== undefined;
  const stated = statusKind(owner) === 'own';
  if (wrapper === 'data' ? named && stated : named || stated) return undefined;
  return only(
    typeof value === 'string' && /^\s*[[{]/.test(value) ? withUsualNames(parseExactJson(value)) : value,
  );
}

/** The object a value is, or the only one in a list. */
function only(value: unknown): JsonObject | undefined {
  let single = value;
  for (let depth = 0; depth < maxDepth && Array.isArray(single) && single.length === 1; depth += 1) {
    [single] = single;
  }
  return isObject(single) ? single : undefined;
}

/** The nodes from a reply down to the task's own. */
function pathToRecord(node: Node): readonly Node[] {
  const paths = node.inner.map(pathToRecord);
  const best = paths.toSorted((a, b) => weight(b.at(-1)) - weight(a.at(-1)))[0];
  const found = best?.at(-1);
  return best && found && outranks(found, node, best) ? [node, ...best] : [node];
}

/** How much makes a node a task's own. */
function weight(node: Node | undefined): number {
  if (!node) return 0;
  const status = { none: 0, call: 1, own: 2 }[statusKind(node.object)];
  const known = isKnownByRequest(node.object) ? 1 : 0;
  return (nameIn(node.object) === undefined ? known : 3) + status;
}

/** Whether the task's own object is the one that was found within, and not the one around it. */
function outranks({ object: inner }: Node, { object: outer }: Node, path: readonly Node[]): boolean {
  if (!looksLikeTask(inner)) return false;
  const complete = nameIn(inner) !== undefined && statusKind(inner) !== 'none';
  const status = statusKind(outer);
  const name = nameIn(outer);
  if (name === undefined) return status !== 'own' || complete;
  // The gateway's own id beside a record of the provider's.
  if (status === 'own' || isTaskName(outer)) return false;
  return complete && path[0]?.key !== 'output';
}

function looksLikeTask(object: JsonObject): boolean {
  return nameIn(object) !== undefined || statusKind(object) !== 'none' || isKnownByRequest(object);
}

/** Whether an object tells a status: one of its own, or one that may be about the call alone. */
function statusKind(object: JsonObject): 'own' | 'call' | 'none' {
  if (typeof object.done === 'boolean') return 'own';
  const rawStatus = ownStatus(object);
  if (rawStatus === undefined) return 'none';
  return isCallStatus(rawStatus) ? 'call' : 'own';
}

function descendants({ inner }: Node): readonly JsonObject[] {
  return [...inner.map(({ object }) => object), ...inner.flatMap(descendants)];
}

/** An end may be that of the call, or of the call to the provider: what stands deeper knows better. */
function statusOfRecord(record: Node, around: readonly JsonObject[]): string | undefined {
  const own = ownStatus(record.object);
  if (typeof record.object.done === 'boolean' || (own !== undefined && !isEndOfCall(own))) return own;
  const outer = () => around.map(ownStatus).find((each) => each !== undefined && !isEndOfCall(each));
  return deeperStatus(record) ?? own ?? outer();
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

/** Whether a status is about the task, and not about a thing it made. */
function tells(object: JsonObject, rawStatus: string): boolean {
  if (nameIn(object) !== undefined || nonEmptyString(object.task_status) !== undefined) return true;
  return classOfStatus(rawStatus) !== undefined && !isAmbiguousStatus(rawStatus);
}

/** Text comes before numbers, which mean something else to each vendor, and what is said of a task before a success. */
function ownStatus(object: JsonObject): string | undefined {
  const told = statusKeys.map((key) => statusIn(object[key])).filter((each) => each !== undefined);
  return told.find((each) => !isCallStatus(each)) ?? told.find((each) => !/^\d+$/.test(each)) ?? told[0];
}

function statusIn(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return nonEmptyString(value);
  return nonEmptyString(value.state) ?? nonEmptyString(value.name) ?? nonEmptyString(value.phase);
}
