import { parseExactJson } from '../base/json.ts';
import { decodeTask, type TaskReply } from '../wire/apis/taskRecord/decodeTask.ts';
import { decodeTaskList, type TaskPage, type TaskQuery } from '../wire/apis/taskRecord/decodeTaskList.ts';
import { findTaskObjects } from '../wire/apis/taskRecord/recordObjects.ts';
import {
  findChangeFailure,
  findListRefusal,
  findRefusal,
  findReturnedRecord,
  reportsMissingTask,
  type TaskChange,
} from '../wire/apis/taskRecord/refusal.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import {
  findIdProblem,
  findRecordIdProblem,
  type IdProblem,
  maxIdLength,
  readBareId,
} from '../wire/apis/taskRecord/taskId.ts';
import { explain, type SentenceIdWith } from '../wire/explanations/explanation.ts';
import {
  createMalformedReplyFailure,
  createWebPageFailure,
  type FailureDetails,
} from '../wire/failures/replyFailure.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import { followPages } from '../wire/listPages.ts';
import { type Route, routes } from '../wire/routes.ts';
import { hideSecretsInRecord } from '../wire/secrets/redact.ts';
import { detectBodyKind } from '../wire/stream/replyDecoder.ts';
import { type CallIdentity, createCallIdentity, createUnsentError } from './callIdentity.ts';
import { checkDeleted, isMissingTaskError } from './missingTask.ts';
import { type BodyHead, BodySink } from './replySink.ts';
import { generationTimeouts } from './requestTimeouts.ts';
import type { Call, Sender } from './sender.ts';
import type { CallOptions, CreatedTask, CreateOptions } from './types.ts';

/** The value of a reply, or its problem. */
type Reading<Value> = { readonly value: Value } | { readonly failure: FailureDetails };

/** Reads a reply. `value` is its parsed JSON; undefined for an empty body. */
type ReadReply<Value> = (value: unknown, context: TaskReply, head: BodyHead) => Reading<Value>;

type TaskCall = Pick<
  Call,
  'route' | 'params' | 'query' | 'body' | 'vendorHeaders' | 'idempotencyKey' | 'minTimeouts' | 'paid'
>;

/** A request that creates a task. */
interface TaskCreation {
  readonly route: Route;
  readonly body: object;
  readonly vendorHeaders?: Partial<HeaderNames>;
}

/**
 * Sends a request that creates a task. It costs money and is never sent twice. If a sent request fails, only the
 * list of tasks shows whether the task exists.
 *
 * @throws {GatewayError} also if the reply does not contain a task id; the error contains its body
 */
export function createTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<CreatedTask> {
  return sendForTask<CreatedTask>(
    sender,
    createCreationCall(creation, options),
    options,
    (value, context) => {
      const task = decodeTask(value, context);
      const refusal = findRefusal(task);
      const id = task.id ?? (refusal ? undefined : readBareId(value));
      if (refusal || id === undefined) return { failure: refusal ?? createMissingIdFailure(value) };
      options.onCreated?.(id);
      return { value: { ...task, id } };
    },
  );
}

/**
 * Sends a request and waits for its result. The gateway may be silent for up to half an hour. It returns a
 * finished task, or a running one if the gateway moved it to the background. It costs money and is never sent
 * twice.
 *
 * @throws {GatewayError} also if the reply contains neither a task nor a result
 */
export function runTask(
  sender: Sender,
  creation: TaskCreation,
  options: CreateOptions = {},
): Promise<TaskSnapshot> {
  const call = { ...createCreationCall(creation, options), minTimeouts: generationTimeouts };
  return sendForTask<TaskSnapshot>(sender, call, options, (value, context) => {
    const task = decodeTask(value, context);
    if (task.id !== undefined) options.onCreated?.(task.id);
    else if (task.status === 'running') {
      return {
        failure: findRefusal(task) ?? createMalformedReplyFailure(explain('task-and-result-missing')),
      };
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
        findRefusal(task, task_id) ?? (typeof value === 'string' ? findListRefusal(value) : undefined);
      return failure ? { failure } : { value: task };
    },
  );
}

/**
 * Lists the newest tasks, at most `limit`. Reads pages until there are enough tasks, or until several pages do not
 * contain a new task.
 *
 * @throws {GatewayError}
 */
export async function listTasks(
  sender: Sender,
  limit: number,
  options: CallOptions = {},
): Promise<readonly TaskSnapshot[]> {
  const tasks = new Map<unknown, TaskSnapshot>();
  const readNext = (query: TaskQuery) => readPage(sender, { limit: String(limit), ...query }, options);
  for await (const page of followPages(readNext, () => tasks.size)) {
    for (const task of page.tasks) if (!tasks.has(task.id ?? task)) tasks.set(task.id ?? task, task);
    if (tasks.size >= limit) break;
  }
  return [...tasks.values()].slice(0, limit);
}

/**
 * @returns the record if the reply contains it; only reading the task shows whether it was cancelled
 * @throws {GatewayError} also if the gateway refuses
 */
export function cancelTask(
  sender: Sender,
  task_id: string,
  options: CallOptions = {},
): Promise<TaskSnapshot | undefined> {
  // Some servers refuse an empty body with a JSON content type.
  const call = { route: routes.cancelTask, params: { task_id }, body: '{}' } as const;
  return sendForTask(sender, call, options, readActionReply('cancel'));
}

/**
 * Deletes a task. A task also counts as deleted if the gateway replies that it does not exist, and reading the
 * task confirms it.
 *
 * @returns the record if the reply contains it, because some gateways cancel a running task instead
 * @throws {GatewayError} also if the gateway reports that it has not deleted the task
 */
export async function deleteTask(
  sender: Sender,
  task_id: string,
  options: CallOptions = {},
): Promise<TaskSnapshot | undefined> {
  const call = { route: routes.deleteTask, params: { task_id } } as const;
  try {
    return await sendForTask(sender, call, options, readActionReply('delete'));
  } catch (error) {
    const isReportedMissing = isMissingTaskError(error) && reportsMissingTask(error.body ?? '', task_id);
    const { signal, timeouts } = options;
    const readOptions = { ...(signal && { signal }), ...(timeouts && { timeouts }) };
    const client = { readTask: (id: string, more = {}) => readTask(sender, id, { ...readOptions, ...more }) };
    if (isReportedMissing && (await checkDeleted(client, task_id)) === 'deleted') return undefined;
    throw error;
  }
}

/**
 * Reads one page of the list.
 *
 * @param query empty for the newest tasks, or the `next` of the previous page
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
      const failure = findListRefusal(value);
      if (failure) return { failure };
      return page ? { value: page } : { failure: createMalformedReplyFailure(explain('task-list-missing')) };
    },
  );
  return value;
}

function readActionReply(change: TaskChange): ReadReply<TaskSnapshot | undefined> {
  return (value, context) => {
    const task = decodeTask(value, context);
    const failure = findChangeFailure(task, change);
    return failure ? { failure } : { value: findReturnedRecord(task) };
  };
}

function createCreationCall(
  { body, ...creation }: TaskCreation,
  { idempotencyKey }: CreateOptions,
): TaskCall {
  return {
    ...creation,
    body: JSON.stringify(body),
    paid: { kind: 'task', body },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Creates the failure for a reply without a usable task id. */
function createMissingIdFailure(value: unknown): FailureDetails {
  const problem = findRecordIdProblem(findTaskObjects(value));
  return createMalformedReplyFailure(
    problem ? explain(replyIdSentences[problem], { maxLength: maxIdLength }) : explain('task-missing'),
  );
}

const replyIdSentences = {
  empty: 'reply-task-id-empty',
  'too-long': 'reply-task-id-too-long',
  'control-characters': 'reply-task-id-unprintable',
} as const satisfies Readonly<Record<IdProblem, SentenceIdWith<'maxLength'>>>;

const taskIdSentences = {
  empty: 'task-id-empty',
  'too-long': 'task-id-too-long',
  'control-characters': 'task-id-unprintable',
} as const satisfies Readonly<Record<IdProblem, SentenceIdWith<'maxLength'>>>;

/** Refuses to send an invalid id, because ids come from gateways and become a part of the path. */
function requireTaskId(params: TaskCall['params'], identity: CallIdentity): void {
  const problem = params && findIdProblem(params.task_id ?? '');
  if (!problem) return;
  const explanation = explain(taskIdSentences[problem], { maxLength: maxIdLength });
  throw createUnsentError({ kind: 'invalid-parameters', explanation }, identity);
}

/** The value of a reply and the gateway's own id of the request. */
interface SentTaskCall<Value> {
  readonly value: Value;
  readonly gatewayRequestId: string | undefined;
}

/**
 * Sends a request about one task and adds the gateway's own id of the request to the snapshot.
 *
 * @throws {GatewayError}
 */
async function sendForTask<Value extends TaskSnapshot | undefined>(
  ...args: [sender: Sender, call: TaskCall, options: CallOptions, read: ReadReply<Value>]
): Promise<Value> {
  const { value, gatewayRequestId } = await sendTaskCall(...args);
  return value && gatewayRequestId !== undefined ? { ...value, gatewayRequestId } : value;
}

/**
 * Sends a request about tasks and reads the reply.
 *
 * @throws {GatewayError}
 */
async function sendTaskCall<Value>(
  sender: Sender,
  call: TaskCall,
  options: CallOptions,
  read: ReadReply<Value>,
): Promise<SentTaskCall<Value>> {
  const identity = createCallIdentity(options);
  requireTaskId(call.params, identity);
  const { promise, resolve } = Promise.withResolvers<Value>();
  const sink = new BodySink((text, head) => {
    const reading = readBody(text, { httpStatus: head.status, baseUrl: sender.baseUrl }, head, read);
    if ('failure' in reading) return reading.failure;
    resolve(reading.value);
    return undefined;
  });
  const sent = { ...call, accept: 'application/json', sink, identity, options };
  const gatewayRequestId = await sender.send(sent);
  return { value: await promise, gatewayRequestId };
}

/** An empty body is a valid reply: some gateways send one for a running or a deleted task. */
function readBody<Value>(
  text: string,
  context: TaskReply,
  head: BodyHead,
  read: ReadReply<Value>,
): Reading<Value> {
  const kind = detectBodyKind(text);
  if (kind === 'html') return { failure: createWebPageFailure(text) };
  const value = kind === undefined ? undefined : parseExactJson(text);
  if (kind !== undefined && value === undefined)
    return { failure: createMalformedReplyFailure(explain('reply-not-json')) };
  return read(hideSecretsInRecord(value, head.secrets), context, head);
}
