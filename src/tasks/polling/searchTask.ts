import { isObject, jsonText, nonEmptyString } from '../../base/json.ts';
import type { GatewayClient } from '../../client/gatewayClient.ts';
import { isMissingRecord, isUnknownRecord } from '../../client/missingTask.ts';
import { findValue } from '../../wire/apis/taskRecord/memberNames.ts';
import { findTaskObjects } from '../../wire/apis/taskRecord/recordObjects.ts';
import type { TaskSnapshot } from '../../wire/apis/taskRecord/snapshot.ts';
import { getFailureEffect } from '../../wire/failures/failureEffect.ts';
import { GatewayError } from '../../wire/failures/gatewayError.ts';
import { followPages, type PageQuery } from '../../wire/listPages.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RemoteTask, Task } from '../record/task.ts';

export type SearchClient = Pick<GatewayClient, 'readTask' | 'listTaskPage'>;

interface SearchOptions {
  readonly ledger: Pick<Ledger, 'find' | 'readHistory' | 'listUnfinished'>;
  readonly client: SearchClient;
  readonly signal?: AbortSignal;
}

export interface TaskSearchResult {
  /** The created task, if it is certain. */
  readonly found?: RemoteTask;
  /** Possible tasks, newest first. The user can choose one. */
  readonly candidates: readonly RemoteTask[];
}

const pageSize = '50';
/** The limit for lists without times: the search cannot detect when their tasks are older than the request. */
const maxUndatedPages = 4;
/** Older tasks end the search. More than a day, because times without a time zone differ by up to a day. */
const maxAgeMs = 27 * 60 * 60_000;
/** Two requests for one model within this time may be confused with each other. */
const rivalryMs = 60 * 60_000;

/**
 * Searches for the task of a request whose outcome is unknown: by an id in the unclear reply, or in the gateway's list
 * by request id, time, model and prompt. Does not repeat the request or change the ledger.
 *
 * @throws {GatewayError} if a request to the gateway failed
 */
export async function searchTask(task: Task, search: SearchOptions): Promise<TaskSearchResult> {
  const namedTask = await findByReplyId(task, search);
  if (namedTask) return { found: namedTask, candidates: [namedTask] };
  const listed = await listRecent(task, search);
  const unclaimed = listed.filter(({ id }) => !search.ledger.find(task.gateway, id));
  const same = unclaimed.filter((found) => compareTasks(task, found) === 'same');
  if (same[0] && same.length === 1) return { found: same[0], candidates: same };
  const candidates = unclaimed.filter((found) => compareTasks(task, found) !== 'different');
  const [only] = candidates;
  const isCertain =
    only && candidates.length === 1 && compareTasks(task, only) === 'like' && !hasRival(task, search);
  return { ...(isCertain && { found: only }), candidates };
}

/** Finds the task whose id is in the truncated or invalid reply. */
async function findByReplyId(
  task: Task,
  { ledger, client, signal }: SearchOptions,
): Promise<RemoteTask | undefined> {
  const reply = ledger.readHistory(task.key)?.unclearReply ?? '';
  for (const id of findTaskIds(reply)) {
    if (ledger.find(task.gateway, id)) continue;
    const snapshot = await readIfExists(client, id, signal);
    if (snapshot && hasRealStatus(snapshot)) return { ...snapshot, id };
  }
  return undefined;
}

const maxIds = 3;

/** Finds possible task ids in a text that may be truncated. A truncated id does not count. */
export function findTaskIds(text: string): readonly string[] {
  const matches = text.matchAll(/"(?:task_id|taskId|id)"\s*:\s*"([^"\\\s]{1,1024})"/g);
  return [...new Set([...matches].map(([, id = '']) => id))].slice(0, maxIds);
}

/**
 * Reads a task; undefined if the gateway does not accept the id. The task may still exist, because some gateways know a
 * new task only after a while.
 */
async function readIfExists(
  client: SearchClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<TaskSnapshot | undefined> {
  try {
    return await client.readTask(id, { ...(signal && { signal }) });
  } catch (error) {
    if (GatewayError.is(error) && isOnlyThisRefused(error)) return undefined;
    throw error;
  }
}

/** Whether the gateway refuses only this id, so that other requests may succeed. */
function isOnlyThisRefused(error: GatewayError): boolean {
  const { isUnbilled, otherRequests } = getFailureEffect(error);
  return error.status !== undefined && isUnbilled && otherRequests === 'continue';
}

/** Whether a record contains a real status. Some gateways send a record for any id, even an unknown one. */
function hasRealStatus(snapshot: TaskSnapshot): boolean {
  return snapshot.rawStatus !== undefined && !isUnknownRecord(snapshot) && !isMissingRecord(snapshot);
}

async function listRecent(task: Task, { client, signal }: SearchOptions): Promise<readonly RemoteTask[]> {
  const found = new Map<string, RemoteTask>();
  const readPage = (query: PageQuery) =>
    client.listTaskPage({ limit: pageSize, ...query }, { ...(signal && { signal }) });
  let pages = 0;
  for await (const page of followPages(readPage, () => found.size)) {
    pages += 1;
    const countBefore = found.size;
    for (const snapshot of page.tasks) {
      const { id } = snapshot;
      if (id !== undefined && !found.has(id)) found.set(id, { ...snapshot, id });
    }
    const isFinished =
      page.tasks.some((each) => isLongBefore(task, each)) ||
      [...found.values()].slice(countBefore).some((each) => compareTasks(task, each) === 'same') ||
      (pages >= maxUndatedPages && page.tasks.every(({ createdAt }) => createdAt === undefined));
    if (isFinished) break;
  }
  return [...found.values()];
}

/** Whether a task is too old. Lists are newest first, so this ends the search. */
function isLongBefore({ submittedAt, intendedAt }: Task, { createdAt }: TaskSnapshot): boolean {
  return createdAt !== undefined && createdAt.getTime() < (submittedAt ?? intendedAt) - maxAgeMs;
}

/** Whether another request without an id may have created the found task. */
function hasRival(task: Task, { ledger }: SearchOptions): boolean {
  const at = task.submittedAt ?? task.intendedAt;
  return ledger.listUnfinished().some(({ key, gateway, status, model, submittedAt = at }) => {
    if (key === task.key || gateway !== task.gateway || model !== task.model) return false;
    return (status === 'submitting' || status === 'unknown') && Math.abs(submittedAt - at) <= rivalryMs;
  });
}

/** The largest difference between the clocks of a gateway and of this machine. */
const maxSkewMs = 5 * 60_000;
/** The longest time between a request and its reply or failure. The task may be created at any time between. */
const maxRequestMs = 30 * 60_000;
const hourMs = 3_600_000;
/**
 * The largest difference between two time zones, for times without a zone. Time zones differ by multiples of 15
 * minutes.
 */
const maxZoneMs = 26 * hourMs;
const zoneStepMs = hourMs / 4;

/**
 * Compares a task of the gateway with a task of unknown outcome. `same`: the record contains our request id or key.
 * `like`: all values of the record match. `maybe`: the record contains too few values, or its prompt differs, because
 * some gateways rewrite prompts.
 */
function compareTasks(own: Task, found: TaskSnapshot): 'same' | 'like' | 'maybe' | 'different' {
  const record = jsonText(found.raw) ?? '';
  if ([own.requestId, own.key].some((id) => id !== undefined && record.includes(JSON.stringify(id)))) {
    return 'same';
  }
  const objects = findTaskObjects(found.raw);
  const model = findValue(objects, ['model', 'model_name', 'modelName', 'model_id'], nonEmptyString);
  if (model !== undefined && own.model !== undefined && removeProvider(model) !== removeProvider(own.model))
    return 'different';
  const time = compareTimes(own, found);
  if (time === 'other') return 'different';
  const prompt = findValue(objects, ['prompt', 'orig_prompt', 'input'], readPrompt);
  const isSamePrompt = prompt === undefined || own.prompt === '' || prompt.trim() === own.prompt.trim();
  return time === 'right' && isSamePrompt ? 'like' : 'maybe';
}

/** Removes the provider, which gateways put before the id of a model. */
function removeProvider(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

function compareTimes(
  { submittedAt, intendedAt }: Task,
  { createdAt, raw }: TaskSnapshot,
): 'right' | 'unclear' | 'other' {
  if (!createdAt) return 'unclear';
  const delayMs = createdAt.getTime() - (submittedAt ?? intendedAt);
  if (delayMs >= -maxSkewMs && delayMs <= maxRequestMs + maxSkewMs) return 'right';
  if (!hasZonelessTime(raw) || Math.abs(delayMs) > maxZoneMs) return 'other';
  const beyondZone = delayMs - Math.round(delayMs / zoneStepMs) * zoneStepMs;
  return Math.abs(beyondZone) <= maxSkewMs ? 'unclear' : 'other';
}

function hasZonelessTime(raw: unknown): boolean {
  return /"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?"/.test(jsonText(raw) ?? '');
}

function readPrompt(value: unknown): string | undefined {
  return isObject(value) ? nonEmptyString(value.prompt ?? value.text) : nonEmptyString(value);
}
