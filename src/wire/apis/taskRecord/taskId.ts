import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import { findValue } from './memberNames.ts';
import { classifyStatus } from './statusWords.ts';

/** In characters. The ids of all gateways are shorter. */
export const maxIdLength = 1024;

const taskKeys = ['task_id', 'taskId', 'task_uuid', 'taskUuid'];
const plainKeys = [
  'id',
  'job_id',
  'jobId',
  'generation_id',
  'generationId',
  'video_id',
  'videoId',
  'prediction_id',
  'predictionId',
  'operation_id',
  'operationId',
  'interaction_id',
  'interactionId',
  'job_uuid',
  'jobUuid',
  'render_id',
  'renderId',
  'uuid',
  '_id',
  'invocationArn',
];
const requestKeys = ['request_id', 'requestId'];

/** The reason why a text cannot be sent as the id of a task. */
export type IdProblem = 'empty' | 'too-long' | 'control-characters';

/**
 * Checks an id before it becomes a part of an address, because ids come from gateways. LiteLLM's ids are long and
 * contain `=`.
 *
 * @returns undefined for a usable id
 */
export function findIdProblem(id: string): IdProblem | undefined {
  if (id === '') return 'empty';
  if (id.length > maxIdLength) return 'too-long';
  return /\p{Cc}/u.test(id) ? 'control-characters' : undefined;
}

/**
 * The id of a task, from the objects of its record. Strings have precedence over numbers, which are usually row
 * numbers. The id of the request is used only if there is no other id.
 */
export function readTaskId(objects: readonly JsonObject[]): string | undefined {
  return (
    objects.map(readOwnId).find(Boolean) ??
    findValue(objects, [...taskKeys, ...plainKeys], readNumberId) ??
    objects.map(readRequestId).find(Boolean) ??
    objects.map(readPlainId).find(Boolean)
  );
}

/** Members that contain only the id of a new task: `result` of Midjourney-proxy and Meshy, `data` of new-api. */
const bareKeys = ['data', 'result', 'task', 'output'];

/** The id in the reply to a create, if the reply contains nothing else. Words about the call have no digits. */
export function readBareId(reply: unknown): string | undefined {
  const id = isObject(reply) ? findValue([reply], bareKeys, nonEmptyString) : nonEmptyString(reply);
  return id !== undefined && /^(?=.*\d)[\w.:-]{6,256}$/.test(id) ? id : undefined;
}

/** The reason why the id of a record cannot be sent. */
export function findRecordIdProblem(objects: readonly JsonObject[]): IdProblem | undefined {
  const problem = (value: unknown) =>
    typeof value === 'string' && value !== '' ? findIdProblem(value) : undefined;
  return findValue(objects, [...taskKeys, ...plainKeys], problem);
}

/** An object's own id, unless it is only the id of the request. */
export function readOwnId(object: JsonObject): string | undefined {
  const id = findValue([object], taskKeys, readTextId) ?? readPlainId(object);
  return id !== undefined && !isRequestId(object, id) ? id : undefined;
}

/** Whether an object's id is certainly the task's id: by its member, or because the request has another id. */
export function hasCertainTaskId(object: JsonObject): boolean {
  return [...taskKeys, ...requestKeys].some((key) => readTextId(object[key]) !== undefined);
}

function readPlainId(object: JsonObject): string | undefined {
  return findValue([object], plainKeys, readTextId) ?? findValue([object], ['name'], readOperationName);
}

function isRequestId(object: JsonObject, id: string): boolean {
  if (taskKeys.some((key) => object[key] === id)) return false;
  return /^(req|request|trace)[-_]/i.test(id) || requestKeys.some((key) => object[key] === id);
}

function readTextId(value: unknown): string | undefined {
  const id = nonEmptyString(value);
  return id !== undefined && findIdProblem(id) === undefined ? id : undefined;
}

/** Long-running operations have a path as their name. Other names are display names. */
function readOperationName(value: unknown): string | undefined {
  return readTextId(value)?.includes('/') ? readTextId(value) : undefined;
}

function readNumberId(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Whether an object is a task that has only the request's id. */
export function hasOnlyRequestId(object: JsonObject): boolean {
  return readRequestId(object) !== undefined;
}

/** The id of the request, if the object is a task. A few vendors reply to a create without another id. */
function readRequestId(object: JsonObject): string | undefined {
  const status = isObject(object.status) ? undefined : nonEmptyString(object.status);
  const isReplyToCreate = Object.keys(object).length === 1 || nonEmptyString(object.status_url) !== undefined;
  const isTask = isReplyToCreate || (status !== undefined && classifyStatus(status) === 'running');
  return isTask ? findValue([object], requestKeys, readTextId) : undefined;
}
