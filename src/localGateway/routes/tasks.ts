import { taskStatuses } from '../../wire/apis/taskRecord/taskRecordFormat.ts';
import { type TaskFormat, taskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import { routes } from '../../wire/routes.ts';
import { conflictError, HttpError } from '../http/httpError.ts';
import { invalidFieldError, type Query, readPositiveInteger } from '../http/query.ts';
import type { GatewayRequest, ServedRoute } from '../server/routeHandler.ts';
import { createServedTask } from '../tasks/servedTask.ts';
import type { TaskListing, TaskListQuery } from '../tasks/taskListing.ts';
import { createTaskRecord, createUpstreamRecord, type TaskRecord } from '../tasks/taskRecord.ts';
import { isUpstreamTask, readTaskState, type StoredTask } from '../tasks/taskState.ts';
import type { TaskStore } from '../tasks/taskStore.ts';
import type { UpstreamTask } from '../tasks/upstreamTask.ts';
import type { TaskRouteServices } from './makeVideo.ts';

const defaultLimit = 20;
const maxLimit = 100;

interface TaskPage {
  readonly object: 'list';
  readonly data: readonly TaskRecord[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** Serves the task routes, which `TaskRecord` describes. */
export function createTaskRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  const { tasks } = services;
  return [
    {
      route: routes.listTasks,
      handle: (request) => ({
        json: createPage(tasks.open().list(readQuery(request)), readGatewayAddress(request)),
      }),
    },
    {
      route: routes.readTask,
      async handle(request) {
        const { task, headers } = await refreshTask(services, request);
        return { json: createTaskRecord(task, Date.now(), readGatewayAddress(request)), headers };
      },
    },
    {
      route: routes.cancelTask,
      async handle(request) {
        const { task } = await cancelServedTask(services, request);
        return { json: createTaskRecord(task, Date.now(), readGatewayAddress(request)) };
      },
    },
    {
      route: routes.deleteTask,
      async handle(request) {
        const { id } = await removeTask(services, request);
        return { json: { id, object: 'task.deleted', deleted: true } };
      },
    },
  ];
}

type TaskRouteRequest = Pick<GatewayRequest, 'params' | 'access'>;

/**
 * Reads the current state of a request's task, at its upstream if it has one. A header reports if the task could
 * not be read there.
 *
 * @throws {HttpError} 404 if the task does not exist
 */
export async function refreshTask(
  { tasks, upstreamTasks }: TaskRouteServices,
  request: TaskRouteRequest,
): Promise<{ readonly task: StoredTask; readonly headers: Readonly<Record<string, string>> }> {
  const { task, staleCode } = await upstreamTasks.readings.refresh(requireTask(tasks.open(), request));
  return { task, headers: staleCode === undefined ? {} : { 'x-gateway-stale': staleCode } };
}

/** Reads the ID of a request's task. */
export function readTaskParameter({ params }: Pick<GatewayRequest, 'params'>): string {
  return params.task_id ?? params.response_id ?? '';
}

function createPage({ tasks, at, next }: TaskListing, address: string): TaskPage {
  return {
    object: 'list',
    data: tasks.map((task) => createTaskRecord(task, at, address)),
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : String(next),
  };
}

/**
 * Cancels a task. A task that has ended does not change.
 *
 * @returns the task afterwards, and whether it had not ended before
 * @throws {HttpError} 404 if the task does not exist, 409 if it cannot be cancelled
 */
export async function cancelServedTask(
  { tasks, upstreamTasks }: TaskRouteServices,
  request: TaskRouteRequest,
): Promise<{ readonly task: StoredTask; readonly wasRunning: boolean }> {
  const store = tasks.open();
  const before = requireTask(store, request);
  if (isUpstreamTask(before)) {
    const wasRunning = readTaskState(before, Date.now()).finishedAt === undefined;
    return { task: await upstreamTasks.cancel(before), wasRunning };
  }
  const wasRunning = store.cancel(before.id);
  const task = requireTask(store, request);
  if (!wasRunning && readTaskState(task, Date.now()).finishedAt === undefined) throw notCancellableError();
  return { task, wasRunning };
}

/**
 * Deletes a task that has ended, and its results.
 *
 * @throws {HttpError} 404 if the task does not exist, 409 if it has not ended
 */
export async function removeTask(
  services: TaskRouteServices,
  request: TaskRouteRequest,
): Promise<StoredTask> {
  const { tasks, upstreamTasks } = services;
  const { task } = await refreshTask(services, request);
  const { id } = task;
  const { status, finishedAt } = readTaskState(task, Date.now());
  if ((finishedAt === undefined && status !== 'unknown') || upstreamTasks.creator.isUnderWay(id))
    throw notEndedError();
  if (isUpstreamTask(task)) await upstreamTasks.remove(task);
  if (!tasks.open().delete(id)) throw notEndedError();
  if (isUpstreamTask(task)) await upstreamTasks.results.folder.remove(id);
  return task;
}

/**
 * Reads the task of a request.
 *
 * @throws {HttpError} 404 if the task does not exist or no longer exists, or if another credential created it
 */
export function requireTask(store: TaskStore, { params, access }: TaskRouteRequest): StoredTask {
  const task = store.get(readTaskParameter({ params }));
  if (task && access.mayUseTasksOf(task.owner)) return task;
  throw new HttpError({
    status: 404,
    message: 'There is no such task: it was deleted, it ended more than a week ago, or the id is wrong.',
    type: 'invalid_request_error',
    code: 'task_not_found',
  });
}

function readQuery({ query, access: { name: owner } }: GatewayRequest): TaskListQuery {
  const { limit, cursor, status } = query;
  return {
    ...(owner !== undefined && { owner }),
    limit: Math.min(
      maxLimit,
      readPositiveInteger('limit', limit, 'a whole number from 1 up') ?? defaultLimit,
    ),
    after: readPositiveInteger('cursor', cursor, 'the next_cursor of a page'),
    statuses: status === undefined ? taskStatuses : readStatuses(status),
  };
}

function readStatuses(value: Exclude<Query[string], undefined>) {
  const words = typeof value === 'string' ? value.split(',') : [];
  const statuses = taskStatuses.filter((status) => words.includes(status));
  if (words.length > 0 && words.every((word) => statuses.some((status) => status === word))) return statuses;
  throw invalidFieldError('status', `${taskStatuses.join(', ')}, or several of them, separated by commas`);
}

function notCancellableError(): HttpError {
  return conflictError('This task cannot be cancelled. It continues until it ends.', 'task_not_cancellable');
}

function notEndedError(): HttpError {
  return conflictError('This task has not ended. Cancel it first, then delete it.', 'task_not_ended');
}

/** Reads the gateway's address as the caller knows it. The guard has checked the Host header. */
export function readGatewayAddress({ headers }: Pick<GatewayRequest, 'headers'>): string {
  return `http://${headers.host}`;
}

/** Whether a task has a record of its upstream in the format. */
export function hasUpstreamRecord(task: StoredTask, format: TaskFormat): task is UpstreamTask {
  return isUpstreamTask(task) && task.format === format && task.report.record !== undefined;
}

/** Writes the record of a task in the format of the request that created it. */
export async function writeOwnRecord(
  { upstreamTasks }: Pick<TaskRouteServices, 'upstreamTasks'>,
  task: UpstreamTask,
  request: Pick<GatewayRequest, 'headers' | 'id'>,
): Promise<object> {
  const address = readGatewayAddress(request);
  if (task.report.record === undefined)
    return taskRecordFormats[task.format].write(createServedTask(task, Date.now()), {
      address,
      requestId: request.id,
    });
  return createUpstreamRecord(task, address, async (index) => {
    const storedResult = task.storedResults[index];
    return storedResult && upstreamTasks.results.folder.read(storedResult);
  });
}
