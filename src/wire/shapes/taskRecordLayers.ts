import { isObject, type JsonObject, nonEmptyString } from '../json.ts';
import { classOfWord } from './taskRecordWords.ts';

/** Members that wrap a record, or the part of it that tells how it went. */
const wrappers = ['data', 'task', 'interaction', 'output', 'result', 'response'];

const idKeys = ['task_id', 'taskId', 'id'];
const wordKeys = ['status', 'state', 'task_status', 'taskStatus', 'raw_status'];

/**
 * The objects of a reply in which members of the task record may stand, the likeliest first: the record
 * itself, what it wraps, and the envelope around it.
 */
export function layersOf(reply: unknown): readonly JsonObject[] {
  const root = objectIn(reply);
  if (!root) return [];
  const record = recordIn(root);
  return [...new Set([record, ...inner(record), root, ...inner(root)])];
}

/** The record's own word for its state; a number as its digits. */
export function stateWord(layers: readonly JsonObject[]): string | undefined {
  const [record = {}, ...others] = layers;
  const own = ownWord(record);
  if (own === undefined)
    return others.map(ownWord).find((word) => word !== undefined && !isEnvelopeWord(word));
  const deeper = isEnvelopeWord(own) ? objectIn(record.data) : undefined;
  return (deeper && ownWord(deeper)) ?? own;
}

/** The value of the first of these members that `read` makes something of, in the likeliest layer. */
export function probe<Value>(
  layers: readonly JsonObject[],
  keys: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const key of keys) {
    for (const layer of layers) {
      const value = read(layer[key]);
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** An envelope names no task of its own, and its word is about the call: `{"status":"success","data":{…}}`. */
function recordIn(root: JsonObject): JsonObject {
  if (idKeys.some((key) => nonEmptyString(root[key]))) return root;
  const word = ownWord(root);
  if (word !== undefined && !isEnvelopeWord(word)) return root;
  return inner(root).find(looksLikeTask) ?? root;
}

function inner(layer: JsonObject): readonly JsonObject[] {
  return wrappers.map((key) => objectIn(layer[key])).filter((value) => value !== undefined);
}

/** The object a value is, or the only one in a list. */
function objectIn(value: unknown): JsonObject | undefined {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(only) ? only : undefined;
}

function looksLikeTask(layer: JsonObject): boolean {
  return ownWord(layer) !== undefined || idKeys.some((key) => nonEmptyString(layer[key]));
}

/** Text comes before numbers, which mean something else to each vendor. */
function ownWord(layer: JsonObject): string | undefined {
  const words = wordKeys.map((key) => wordOf(layer[key])).filter((word) => word !== undefined);
  return words.find((word) => !/^\d+$/.test(word)) ?? words[0];
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isObject(value) ? nonEmptyString(value.state) : nonEmptyString(value);
}

function isEnvelopeWord(word: string): boolean {
  return /^\d{3}$|^ok$/i.test(word) || classOfWord(word) === 'completed';
}
