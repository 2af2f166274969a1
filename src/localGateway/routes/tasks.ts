import { routes } from '../../wire/routes.ts';
import { HttpError } from '../http/httpError.ts';
import { invalidField, type Query, wholeNumber } from '../http/query.ts';
import type { GatewayRequest, ServedRoute } from '../server/handler.ts';
import { taskStatuses } from '../tasks/taskIdentity.ts';
import type { TaskListing, TaskListQuery } from '../tasks/taskListing.ts';
import { recordOf, type TaskRecord } from '../tasks/taskRecord.ts';
import { isRemote, type StoredTask, stateOf } from '../tasks/taskState.ts';
import type { TaskStore } from '../tasks/taskStore.ts';
import type { VideoService } from './makeVideo.ts';
import { addressOf } from './taskForm.ts';

const defaultLimit = 20;
const maxLimit = 100;

interface TaskPage {
  readonly object: 'list';
  readonly data: readonly TaskRecord[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** Serves the task routes, which taskRecord.ts describes. */
export function taskRoutes(service: VideoService): readonly ServedRoute[] {
  const { tasks } = service;
  return [
    {
      route: routes.listTasks,
      answer: (request) => ({
        json: pageOf(tasks.open().list(readQuery(request)), addressOf(request)),
      }),
    },
    {
      route: routes.readTask,
      async answer(request) {
        const { task, headers } = await freshTask(service, request);
        return { json: recordOf(task, Date.now(), addressOf(request)), headers };
      },
    },
    {
      route: routes.cancelTask,
      async answer(request) {
        const { task } = await cancelTask(service, request);
        return { json: recordOf(task, Date.now(), addressOf(request)) };
      },
    },
    {
      route: routes.deleteTask,
      async answer(request) {
        const { id } = await removeTask(service, request);
        return { json: { id, object: 'task.deleted', deleted: true } };
      },
    },
  ];
}

/** A request for a task. */
export type TaskRequest = Pick<GatewayRequest, 'params' | 'access'>;

/**
 * The task of a request as it is now, by its upstream where one makes it. The headers say when that could not be
 * asked.
 *
 * @throws {HttpError} 404 when there is no such task
 */
export async function freshTask(
  { tasks, remote }: VideoService,
  request: TaskRequest,
): Promise<{ readonly task: StoredTask; readonly headers: Readonly<Record<string, string>> }> {
  const { task, stale } = await remote.fresh(findTask(tasks.open(), request));
  return { task, headers: stale === undefined ? {} : { 'x-gateway-stale': stale } };
}

/** The id of the task that a request is for. */
export function taskId({ params }: Pick<GatewayRequest, 'params'>): string {
  return params.task_id ?? params.response_id ?? '';
}

function pageOf({ tasks, at, next }: TaskListing, address: string): TaskPage {
  return {
    object: 'list',
    data: tasks.map((task) => recordOf(task, at, address)),
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : String(next),
  };
}

/**
 * Cancels a task. A task that has ended stays as it is.
 *
 * @returns the task afterwards, and whether it had not ended before
 * @throws {HttpError} 404 when there is no such task, 409 when it cannot be cancelled
 */
export async function cancelTask(
  { tasks, remote }: VideoService,
  request: TaskRequest,
): Promise<{ readonly task: StoredTask; readonly wasRunning: boolean }> {
  const store = tasks.open();
  const before = findTask(store, request);
  if (isRemote(before)) {
    const wasRunning = stateOf(before, Date.now()).finishedAt === undefined;
    return { task: await remote.cancel(before), wasRunning };
  }
  const wasRunning = store.cancel(before.id);
  const task = findTask(store, request);
  if (!wasRunning && stateOf(task, Date.now()).finishedAt === undefined) throw notCancellable();
  return { task, wasRunning };
}

/**
 * Deletes a task that has ended, and its results.
 *
 * @throws {HttpError} 404 when there is no such task, 409 when it has not ended
 */
export async function removeTask(service: VideoService, request: TaskRequest): Promise<StoredTask> {
  const { tasks, remote } = service;
  const { task } = await freshTask(service, request);
  const { id } = task;
  const { status, finishedAt } = stateOf(task, Date.now());
  if ((finishedAt === undefined && status !== 'unknown') || remote.isUnderWay(id)) throw notEnded();
  if (isRemote(task)) await remote.remove(task);
  if (!tasks.open().delete(id)) throw notEnded();
  if (isRemote(task)) await remote.results.remove(id);
  return task;
}

/**
 * Reads the task of a request.
 *
 * @throws {HttpError} 404 when there is no such task, or none any more, or another credential made it
 */
export function findTask(store: TaskStore, { params, access }: TaskRequest): StoredTask {
  const task = store.get(taskId({ params }));
  if (task && access.mayUse(task.owner)) return task;
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
    limit: Math.min(maxLimit, wholeNumber('limit', limit, 'a whole number from 1 up') ?? defaultLimit),
    after: wholeNumber('cursor', cursor, 'the next_cursor of a page'),
    statuses: status === undefined ? taskStatuses : readStatuses(status),
  };
}

function readStatuses(value: Exclude<Query[string], undefined>) {
  const wanted = typeof value === 'string' ? value.split(',') : [];
  const known = taskStatuses.filter((status) => wanted.includes(status));
  if (wanted.length > 0 && wanted.every((word) => known.some((status) => status === word))) return known;
  throw invalidField('status', `${taskStatuses.join(', ')}, or several of them with commas between`);
}

function notCancellable(): HttpError {
  return conflict('This task cannot be cancelled. It goes on until it ends.', 'task_not_cancellable');
}

function notEnded(): HttpError {
  return conflict('This task has not ended. Cancel it first, then delete it.', 'task_not_ended');
}

export function conflict(message: string, code: string): HttpError {
  return new HttpError({ status: 409, message, type: 'invalid_request_error', code });
}
