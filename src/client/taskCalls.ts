import { parseExactJson } from '../base/json.ts';
import { refusedList } from '../wire/apis/refusal.ts';
import { answeredRecord, refusalIn, refusedAct, type TaskAct } from '../wire/apis/taskRecord/answer.ts';
import { decodeTask, type TaskReply } from '../wire/apis/taskRecord/decode.ts';
import { decodeTaskList, type TaskPage, type TaskQuery } from '../wire/apis/taskRecord/list.ts';
import { tellsMissingTask } from '../wire/apis/taskRecord/missing.ts';
import {
  type IdProblem,
  idProblem,
  maxIdLength,
  readBareId,
  unusableId,
} from '../wire/apis/taskRecord/names.ts';
import { objectsOf } from '../wire/apis/taskRecord/objects.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { type FailureDetails, malformedReply, webPage } from '../wire/errorMapping.ts';
import { explain, type SentenceNaming } from '../wire/explanations/explanation.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import { type Route, routes } from '../wire/routes.ts';
import { withoutSecrets } from '../wire/secrets/redact.ts';
import { sniff } from '../wire/stream/sniff.ts';
import { unsent } from './callFailure.ts';
import { type CallIdentity, identify } from './callIdentity.ts';
import { isMissing, saysMissing } from './missingTask.ts';
import { type BodyHead, BodySink } from './replySink.ts';
import type { Call, Sender } from './send.ts';
import { generationTimeouts } from './timeouts.ts';
import type { CallOptions, CreatedTask, CreateOptions } from './types.ts';

/** The most pages of one list, in case it never ends. */
const maxPages = 100;

/** The value of a reply, or what is wrong with it. */
type Reading<Value> = { readonly value: Value } | { readonly failure: FailureDetails };

type Read<Value> = (value: unknown, context: TaskReply, head: BodyHead) => Reading<Value>;

type TaskCall = Pick<
  Call,
  'route' | 'params' | 'query' | 'body' | 'vendorHeaders' | 'idempotencyKey' | 'minTimeouts'
>;

/** A request that creates a task. */
export interface TaskCreation {
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
    else if (task.status === 'running')
      return refused(task, malformedReply(explain('task-and-result-missing')));
    return { value: task };
  });
}

function creationCall({ body, ...creation }: TaskCreation, { idempotencyKey }: CreateOptions): TaskCall {
  return {
    ...creation,
    body: JSON.stringify(body),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
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
  let next: TaskQuery | undefined = {};
  while (next && tasks.size < limit && asked.size < maxPages && !asked.has(JSON.stringify(next))) {
    asked.add(JSON.stringify(next));
    const page = await readPage(sender, { limit: String(limit), ...next }, options);
    const before = tasks.size;
    for (const task of page.tasks) if (!tasks.has(task.id ?? task)) tasks.set(task.id ?? task, task);
    next = tasks.size > before ? page.next : undefined;
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
    if (isGone && (await cannotBeRead(sender, task_id, options))) return undefined;
    throw error;
  }
}

async function cannotBeRead(sender: Sender, taskId: string, options: CallOptions): Promise<boolean> {
  const { signal, timeouts } = options;
  try {
    const again = { ...(signal && { signal }), ...(timeouts && { timeouts }) };
    return isMissing(await readTask(sender, taskId, again));
  } catch (error) {
    return saysMissing(error);
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
      const page = decodeTaskList(value, context, String(headers.link ?? ''));
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

function refused(task: TaskSnapshot, otherwise: FailureDetails): { readonly failure: FailureDetails } {
  return { failure: refusalIn(task) ?? otherwise };
}

/** Why a reply names no usable task. */
function unnamed(value: unknown): FailureDetails {
  const problem = unusableId(objectsOf(value));
  return malformedReply(
    problem ? explain(toldIds[problem], { maxLength: maxIdLength }) : explain('task-missing'),
  );
}

type IdSentences = Readonly<Record<IdProblem, SentenceNaming<'maxLength'>>>;

const toldIds = {
  empty: 'told-task-id-empty',
  'too-long': 'told-task-id-too-long',
  'control-characters': 'told-task-id-unprintable',
} as const satisfies IdSentences;

const askedIds = {
  empty: 'task-id-empty',
  'too-long': 'task-id-too-long',
  'control-characters': 'task-id-unprintable',
} as const satisfies IdSentences;

/** Refuses to send what is no id, since ids come from gateways (T7). */
function requireTaskId(params: TaskCall['params'], identity: CallIdentity): void {
  const problem = params && idProblem(params.task_id ?? '');
  if (!problem) return;
  const explanation = explain(askedIds[problem], { maxLength: maxIdLength });
  throw unsent({ kind: 'invalid-parameters', explanation }, identity);
}

/** The value of a reply, and the gateway's own id of the request. */
interface Sent<Value> {
  readonly value: Value;
  readonly gatewayRequestId: string | undefined;
}

async function sendForTask<Value extends TaskSnapshot | undefined>(
  ...args: [sender: Sender, call: TaskCall, options: CallOptions, read: Read<Value>]
): Promise<Value> {
  const { value, gatewayRequestId } = await sendTaskCall(...args);
  return value && gatewayRequestId !== undefined ? { ...value, gatewayRequestId } : value;
}

async function sendTaskCall<Value>(
  sender: Sender,
  call: TaskCall,
  options: CallOptions,
  read: Read<Value>,
): Promise<Sent<Value>> {
  const identity = identify(options);
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

/** An empty body is a valid reply: some gateways send no more about a running or a deleted task. */
function readBody<Value>(
  text: string,
  context: TaskReply,
  head: BodyHead,
  read: Read<Value>,
): Reading<Value> {
  const kind = sniff(text);
  if (kind === 'html') return { failure: webPage(text) };
  const value = kind === undefined ? undefined : parseExactJson(text);
  if (kind !== undefined && value === undefined)
    return { failure: malformedReply(explain('reply-not-json')) };
  return read(withoutSecrets(value, head.secrets), context, head);
}
