import type { FastifyInstance } from 'fastify';
import { routes } from '../../wire/routes.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import { routerPath } from '../routePath.ts';
import type { TaskFile } from '../taskFile.ts';
import { recordOf, type TaskRecord } from '../taskRecord.ts';
import { type StoredTask, taskStatuses } from '../taskState.ts';
import type { TaskListQuery, TaskStore } from '../taskStore.ts';

const usualLimit = 20;
const mostLimit = 100;

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TaskRoute {
  Params: { readonly task_id: string };
}

interface TaskPage {
  readonly object: 'list';
  readonly data: readonly TaskRecord[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** What the routes answer is written down in taskRecord.ts. */
export function serveTasks(app: FastifyInstance, tasks: TaskFile): void {
  const { listTasks, readTask, cancelTask, deleteTask } = routes;
  const config = { group: listTasks.group };

  app.get<{ Querystring: Query }>(listTasks.path, { config }, async ({ query }): Promise<TaskPage> => {
    const { tasks: found, at, next } = tasks.open().list(readQuery(query));
    return {
      object: 'list',
      data: found.map((task) => recordOf(task, at)),
      has_more: next !== undefined,
      next_cursor: next === undefined ? null : String(next),
    };
  });

  app.get<TaskRoute>(routerPath(readTask.path), { config }, async ({ params }) =>
    recordOf(findTask(tasks.open(), params.task_id), Date.now()),
  );

  app.post<TaskRoute>(routerPath(cancelTask.path), { config }, async ({ params }) => {
    const store = tasks.open();
    const cancelled = store.cancel(params.task_id);
    const record = recordOf(findTask(store, params.task_id), Date.now());
    if (!cancelled && record.finished_at === null) throw notCancellable();
    return record;
  });

  app.delete<TaskRoute>(routerPath(deleteTask.path), { config }, async ({ params }) => {
    const store = tasks.open();
    const { id } = findTask(store, params.task_id);
    if (!store.delete(id)) throw notEnded();
    return { id, object: 'task.deleted', deleted: true };
  });
}

/** Throws a 404 where there is no such task, or there was one. */
export function findTask(store: TaskStore, id: string): StoredTask {
  const task = store.get(id);
  if (task) return task;
  throw new HttpError({
    status: 404,
    message: 'There is no such task: it was deleted, it ended more than a week ago, or the id is wrong.',
    type: 'invalid_request_error',
    code: 'task_not_found',
  });
}

function readQuery({ limit, cursor, status }: Query): TaskListQuery {
  return {
    limit: Math.min(mostLimit, wholeNumber('limit', limit, 'a whole number from 1 up') ?? usualLimit),
    before: wholeNumber('cursor', cursor, 'the next_cursor of a page'),
    statuses: status === undefined ? taskStatuses : readStatuses(status),
  };
}

function wholeNumber(field: string, value: Query[string], expected: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw invalid(field, expected);
}

function readStatuses(value: Exclude<Query[string], undefined>) {
  const wanted = typeof value === 'string' ? value.split(',') : [];
  const known = taskStatuses.filter((status) => wanted.includes(status));
  if (wanted.length > 0 && wanted.every((word) => known.some((status) => status === word))) return known;
  throw invalid('status', `${taskStatuses.join(', ')}, or several of them with commas between`);
}

function invalid(field: string, expected: string): HttpError {
  return invalidRequest(`${field}: expected ${expected}.`, 'invalid_value', field);
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
