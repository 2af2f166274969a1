import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import { classOfStatus } from './statusWords.ts';

/** Longer than any id of any gateway. */
export const maxIdLength = 1024;

const taskKeys = ['task_id', 'taskId', 'task_uuid', 'taskUuid'];
const plainKeys = [
  ...['id', 'job_id', 'jobId', 'generation_id', 'generationId', 'video_id', 'videoId'],
  ...['prediction_id', 'predictionId', 'operation_id', 'operationId', 'interaction_id', 'interactionId'],
  ...['job_uuid', 'jobUuid', 'render_id', 'renderId', 'uuid', '_id'],
];
const requestKeys = ['request_id', 'requestId'];

/** Why a text cannot be sent as a task's id. */
export type IdProblem = 'empty' | 'too-long' | 'control-characters';

/** Ids come from gateways: what is no id is not put into an address. LiteLLM's are long and hold `=`. */
export function idProblem(id: string): IdProblem | undefined {
  if (id === '') return 'empty';
  if (id.length > maxIdLength) return 'too-long';
  return /\p{Cc}/u.test(id) ? 'control-characters' : undefined;
}

/**
 * The id of a task, from the objects of its record, the likeliest first. Text comes before numbers, which are
 * row numbers more often than ids. What names the request is an id only where there is no other.
 */
export function readTaskId(objects: readonly JsonObject[]): string | undefined {
  return (
    firstOf(objects, nameIn) ??
    firstValue(objects, [...taskKeys, ...plainKeys], numberId) ??
    firstOf(objects, requestName) ??
    firstOf(objects, plainName)
  );
}

/** Members that hold a new task's id and nothing else: Midjourney-proxy and Meshy's `result`, new-api's `data`. */
const bareKeys = ['data', 'result', 'task', 'output'];

/** The id in the answer to a request for a task that holds nothing but it; words about the call have no digit. */
export function readBareId(reply: unknown): string | undefined {
  const id = isObject(reply) ? firstValue([reply], bareKeys, nonEmptyString) : nonEmptyString(reply);
  return id !== undefined && /^(?=.*\d)[\w.:-]{6,256}$/.test(id) ? id : undefined;
}

/** The id that a record names and that cannot be one. */
export function unusableId(objects: readonly JsonObject[]): IdProblem | undefined {
  const problem = (value: unknown) =>
    typeof value === 'string' && value !== '' ? idProblem(value) : undefined;
  return firstValue(objects, [...taskKeys, ...plainKeys], problem);
}

/** An object's own id, unless it only names the request. */
export function nameIn(object: JsonObject): string | undefined {
  const name = firstOf([object], (each) => firstValue([each], taskKeys, textId) ?? plainName(each));
  return name !== undefined && !namesRequest(object, name) ? name : undefined;
}

/** Whether an object's id can be nobody's but the task's: it is called so, or the request has another. */
export function isTaskName(object: JsonObject): boolean {
  return [...taskKeys, ...requestKeys].some((key) => textId(object[key]) !== undefined);
}

function plainName(object: JsonObject): string | undefined {
  return firstValue([object], plainKeys, textId) ?? firstValue([object], ['name'], operationName);
}

function namesRequest(object: JsonObject, name: string): boolean {
  if (taskKeys.some((key) => object[key] === name)) return false;
  return /^(req|request|trace)[-_]/i.test(name) || requestKeys.some((key) => object[key] === name);
}

function firstOf<Value>(
  objects: readonly JsonObject[],
  read: (object: JsonObject) => Value | undefined,
): Value | undefined {
  for (const object of objects) {
    const value = read(object);
    if (value !== undefined) return value;
  }
  return undefined;
}

function textId(value: unknown): string | undefined {
  const id = nonEmptyString(value);
  return id !== undefined && idProblem(id) === undefined ? id : undefined;
}

/** Long-running operations are known by a path; any other name is for people. */
function operationName(value: unknown): string | undefined {
  return textId(value)?.includes('/') ? textId(value) : undefined;
}

function numberId(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Whether an object has no other id than that of the request, and is a task all the same. */
export function isKnownByRequest(object: JsonObject): boolean {
  return requestName(object) !== undefined;
}

/** A few vendors answer a create with the request's id alone, with addresses made of it, or with its status. */
function requestName(object: JsonObject): string | undefined {
  const status = isObject(object.status) ? undefined : nonEmptyString(object.status);
  const alone = Object.keys(object).length === 1 || nonEmptyString(object.status_url) !== undefined;
  const known = alone || (status !== undefined && classOfStatus(status) === 'running');
  return known ? firstValue([object], requestKeys, textId) : undefined;
}
