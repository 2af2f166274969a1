import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { firstValue } from './firstValue.ts';
import { classOfStatus } from './statusWords.ts';

/** Longer than the id of any gateway, in characters. */
export const maxIdLength = 1024;

const taskKeys = ['task_id', 'taskId', 'task_uuid', 'taskUuid'];
const plainKeys = [
  ...['id', 'job_id', 'jobId', 'generation_id', 'generationId', 'video_id', 'videoId'],
  ...['prediction_id', 'predictionId', 'operation_id', 'operationId', 'interaction_id', 'interactionId'],
  ...['job_uuid', 'jobUuid', 'render_id', 'renderId', 'uuid', '_id', 'invocationArn'],
];
const requestKeys = ['request_id', 'requestId'];

/** Why a text cannot be sent as the id of a task. */
export type IdProblem = 'empty' | 'too-long' | 'control-characters';

/**
 * Checks an id before it goes into an address, since ids come from gateways. LiteLLM's are long and hold `=`.
 *
 * @returns undefined for a usable id
 */
export function idProblem(id: string): IdProblem | undefined {
  if (id === '') return 'empty';
  if (id.length > maxIdLength) return 'too-long';
  return /\p{Cc}/u.test(id) ? 'control-characters' : undefined;
}

/**
 * The id of a task, from the objects of its record. Strings come before numbers, which are usually row
 * numbers. The id of the request counts only without any other.
 */
export function readTaskId(objects: readonly JsonObject[]): string | undefined {
  return (
    firstOf(objects, nameIn) ??
    firstValue(objects, [...taskKeys, ...plainKeys], numberId) ??
    firstOf(objects, requestName) ??
    firstOf(objects, plainName)
  );
}

/** Members that hold only the id of a new task: `result` of Midjourney-proxy and Meshy, `data` of new-api. */
const bareKeys = ['data', 'result', 'task', 'output'];

/** The id in the answer to a create that holds nothing else. Words about the call have no digit. */
export function readBareId(reply: unknown): string | undefined {
  const id = isObject(reply) ? firstValue([reply], bareKeys, nonEmptyString) : nonEmptyString(reply);
  return id !== undefined && /^(?=.*\d)[\w.:-]{6,256}$/.test(id) ? id : undefined;
}

/** Why the id that a record names cannot be used. */
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

/** Whether an object's id certainly names the task: by its member, or because the request has another. */
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

/** Long-running operations have a path as their name; any other name is for people. */
function operationName(value: unknown): string | undefined {
  return textId(value)?.includes('/') ? textId(value) : undefined;
}

function numberId(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Whether an object is a task whose only id is that of the request. */
export function isKnownByRequest(object: JsonObject): boolean {
  return requestName(object) !== undefined;
}

/** A few vendors answer a create with the request's id only, or with addresses or a status beside it. */
function requestName(object: JsonObject): string | undefined {
  const status = isObject(object.status) ? undefined : nonEmptyString(object.status);
  const alone = Object.keys(object).length === 1 || nonEmptyString(object.status_url) !== undefined;
  const known = alone || (status !== undefined && classOfStatus(status) === 'running');
  return known ? firstValue([object], requestKeys, textId) : undefined;
}
