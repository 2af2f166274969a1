import {
  answeredRecord,
  refusalIn,
  refusedAct,
  type TaskAct,
  tellsMissingTask,
} from '../wire/apis/taskRecord/answer.ts';
import { decodeTask } from '../wire/apis/taskRecord/decode.ts';
import { decodeTaskList, type TaskPage, type TaskQuery } from '../wire/apis/taskRecord/list.ts';
import { type IdProblem, maxIdLength, readBareId, unusableId } from '../wire/apis/taskRecord/names.ts';
import { objectsOf } from '../wire/apis/taskRecord/objects.ts';
import { refusedList } from '../wire/apis/taskRecord/refusal.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { type FailureDetails, malformedReply } from '../wire/errorMapping.ts';
import { explain, type SentenceNaming } from '../wire/explanations/explanation.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import { maxBarrenPages } from '../wire/listPages.ts';
import { type Route, routes } from '../wire/routes.ts';
import { checkDeleted, saysMissing } from './missingTask.ts';
import type { Sender } from './send.ts';
import { type Read, sendForTask, sendTaskCall, type TaskCall } from './taskExchange.ts';
import { generationTimeouts } from './timeouts.ts';
import type { CallOptions, CreatedTask, CreateOptions } from './types.ts';

/** A request that creates a task. */
interface TaskCreation {
  readonly route: Route;
  readonly body: object;
  readonly vendorHeaders?: Partial<HeaderNames>;
}

/**
 * Sends a request that creates a task. It costs money and is never sent twice. After a failure of a request
 * that was sent, only the list of tasks tells whether a task exists.
 *
 * @throws {GatewayError} also when the reply names no task; the error holds its body
 */
export function createTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<CreatedTask> {
  return sendForTask<CreatedTask>(sender, creationCall(creation, options), options, (value, context) => {
    const task = decodeTask(value, context);
    const refusal = refusalIn(task);
    const id = task.id ?? (refusal ? undefined : readBareId(value));
    if (refusal || id === undefined) return { failure: refusal ?? unnamed(value) };
    options.onCreated?.(id);
    return { value: { ...task, id } };
  });
}

/**
 * Sends a request that makes something while the caller waits, for up to half an hour of silence. It returns
 * a finished task, or a running one when the gateway moved it to the background. It costs money and is never
 * sent twice.
 *
 * @throws {GatewayError} also when the reply is neither
 */
export function runTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<TaskSnapshot> {
  const call = { ...creationCall(creation, options), minTimeouts: generationTimeouts };
  return sendForTask<TaskSnapshot>(sender, call, options, (value, context) => {
    const task = decodeTask(value, context);
    if (task.id !== undefined) options.onCreated?.(task.id);
    else if (task.status === 'running') {
      return { failure: refusalIn(task) ?? malformedReply(explain('task-and-result-missing')) };
    }
    return { value: task };
  });
}

/**
 * Reads a task.
 *
 * @throws {GatewayError} with status 404 for a task that does not exist (yet)
 */
export function readTask(sender: Sender, task_id: string, options: CallOptions = {}): Promise<TaskSnapshot> {
  return sendForTask<TaskSnapshot>(
    sender,
    { route: routes.readTask, params: { task_id } },
    options,
    (value, context) => {
      const task = decodeTask(value, context);
      const failure =
        refusalIn(task, task_id) ?? (typeof value === 'string' ? refusedList(value) : undefined);
      return failure ? { failure } : { value: task };
    },
  );
}

/** The most pages of one list, in case it never ends. */
const maxPages = 100;

/**
 * Lists the newest tasks, at most `limit`. It follows pages until there are enough, or one brings nothing
 * new.
 *
 * @throws {GatewayError}
 */
export async function listTasks(
  sender: Sender,
  limit: number,
  options: CallOptions = {},
): Promise<readonly TaskSnapshot[]> {
  const tasks = new Map<unknown, TaskSnapshot>();
  const asked = new Set<string>();
  let barren = 0;
  let next: TaskQuery | undefined = {};
  while (next && tasks.size < limit && asked.size < maxPages && !asked.has(JSON.stringify(next))) {
    asked.add(JSON.stringify(next));
    const page = await readPage(sender, { limit: String(limit), ...next }, options);
    const before = tasks.size;
    for (const task of page.tasks) if (!tasks.has(task.id ?? task)) tasks.set(task.id ?? task, task);
    barren = tasks.size > before ? 0 : barren + 1;
    next = barren < maxBarrenPages ? page.next : undefined;
  }
  return [...tasks.values()].slice(0, limit);
}

/**
 * @returns the record if the answer holds one; only reading the task tells whether it was cancelled
 * @throws {GatewayError} also when the gateway refuses
 */
export function cancelTask(
  sender: Sender,
  task_id: string,
  options: CallOptions = {},
): Promise<TaskSnapshot | undefined> {
  // Some servers refuse an empty body with a JSON content type.
  const call = { route: routes.cancelTask, params: { task_id }, body: '{}' } as const;
  return sendForTask(sender, call, options, readAnswer('cancel'));
}

/**
 * Deletes a task. A task counts as deleted when the gateway says that it does not exist, and says so again
 * when the task is read.
 *
 * @returns the record if the answer holds one, since some gateways cancel a running task instead
 * @throws {GatewayError} also when the gateway answers that it has not deleted the task
 */
export async function deleteTask(
  sender: Sender,
  task_id: string,
  options: CallOptions = {},
): Promise<TaskSnapshot | undefined> {
  const call = { route: routes.deleteTask, params: { task_id } } as const;
  try {
    return await sendForTask(sender, call, options, readAnswer('delete'));
  } catch (error) {
    const isGone = saysMissing(error) && tellsMissingTask(error.body ?? '', task_id);
    const { signal, timeouts } = options;
    const again = { ...(signal && { signal }), ...(timeouts && { timeouts }) };
    const reader = { readTask: (id: string, more = {}) => readTask(sender, id, { ...again, ...more }) };
    if (isGone && (await checkDeleted(reader, task_id)) === 'deleted') return undefined;
    throw error;
  }
}

/**
 * Reads one page of the list.
 *
 * @param query empty for the newest tasks, or the `next` of the page before
 * @throws {GatewayError}
 */
export async function readPage(sender: Sender, query: TaskQuery, options: CallOptions): Promise<TaskPage> {
  const { value } = await sendTaskCall<TaskPage>(
    sender,
    { route: routes.listTasks, query },
    options,
    (value, context, { headers }) => {
      const page = decodeTaskList(value, context, headers);
      if (page && page.tasks.length > 0) return { value: page };
      const failure = refusedList(value);
      if (failure) return { failure };
      return page ? { value: page } : { failure: malformedReply(explain('task-list-missing')) };
    },
  );
  return value;
}

function readAnswer(act: TaskAct): Read<TaskSnapshot | undefined> {
  return (value, context) => {
    const task = decodeTask(value, context);
    const failure = refusedAct(task, act);
    return failure ? { failure } : { value: answeredRecord(task) };
  };
}

function creationCall({ body, ...creation }: TaskCreation, { idempotencyKey }: CreateOptions): TaskCall {
  return {
    ...creation,
    body: JSON.stringify(body),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Why a reply names no usable task. */
function unnamed(value: unknown): FailureDetails {
  const problem = unusableId(objectsOf(value));
  return malformedReply(
    problem ? explain(toldIds[problem], { maxLength: maxIdLength }) : explain('task-missing'),
  );
}

const toldIds = {
  empty: 'told-task-id-empty',
  'too-long': 'told-task-id-too-long',
  'control-characters': 'told-task-id-unprintable',
} as const satisfies Readonly<Record<IdProblem, SentenceNaming<'maxLength'>>>;
