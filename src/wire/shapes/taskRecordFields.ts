import { isObject, type JsonObject, nonEmptyString } from '../json.ts';
import { probe } from './taskRecordLayers.ts';

/** Longer than any id of any gateway. */
const MAX_ID_LENGTH = 1024;

const idKeys = ['task_id', 'taskId', 'id', 'requestId', 'job_id', 'jobId', 'generation_id', 'video_id'];

/**
 * The id of a task. Text comes before numbers, which are row numbers more often than ids. A `request_id`
 * names the call, unless there is nothing else the record could be known by.
 */
export function readTaskId(layers: readonly JsonObject[]): string | undefined {
  const ids = layers.map(
    (layer) => probe([layer], idKeys, textId) ?? probe([layer], ['name'], operationName),
  );
  return (
    ids.find((id) => id !== undefined) ??
    probe(layers, ['task_id', 'taskId', 'id'], numberId) ??
    probe(layers.filter(isKnownByRequest), ['request_id'], textId)
  );
}

function textId(value: unknown): string | undefined {
  const id = nonEmptyString(value);
  return id !== undefined && id.length <= MAX_ID_LENGTH ? id : undefined;
}

/** Long-running operations are known by a path; any other name is for people. */
function operationName(value: unknown): string | undefined {
  return textId(value)?.includes('/') ? textId(value) : undefined;
}

function numberId(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Two vendors answer a create with the request's id alone, or with addresses made of it. */
function isKnownByRequest(layer: JsonObject): boolean {
  return Object.keys(layer).length === 1 || nonEmptyString(layer.status_url) !== undefined;
}

const progressKeys = ['progress', 'percent', 'percentage', 'progressPercent'];

/** How far a task is, in percent; undefined when the record does not tell in earnest. */
export function readProgress(layers: readonly JsonObject[]): number | undefined {
  const metadata = layers.map((layer) => layer.metadata).filter(isObject);
  return probe([...layers, ...metadata], progressKeys, percent);
}

function percent(value: unknown): number | undefined {
  if (typeof value === 'number') return clamped(value > 0 && value < 1 ? value * 100 : value);
  const [, digits, sign] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*(%?)\s*$/.exec(nonEmptyString(value) ?? '') ?? [];
  if (digits === undefined) return undefined;
  return sign ? clamped(Number(digits)) : percent(Number(digits));
}

function clamped(value: number): number | undefined {
  return value >= 0 && value < Number.POSITIVE_INFINITY ? Math.min(value, 100) : undefined;
}
