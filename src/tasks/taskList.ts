import { isObject } from '../base/json.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { groupOf, groupOfFailed, type Task, type TaskGroup } from './record/task.ts';

/** A task that the gateway lists and nobody here made. */
export type RemoteTask = TaskSnapshot & { readonly id: string };

export type TaskOrder = 'newest' | 'oldest' | 'model';

/** All tasks that can be shown. */
export interface KnownTasks {
  /** The tasks of the ledger, newest first. */
  readonly own: readonly Task[];
  readonly remote: readonly RemoteTask[];
}

export interface ListOptions {
  /** Only tasks that hold every word of this are listed; empty lists all. */
  readonly filter: string;
  readonly order: TaskOrder;
  /** How many tasks of a group are shown at most. */
  readonly maxShown: (group: TaskGroup) => number;
  /** Whether any window is sending the request of a task right now. */
  readonly isInFlight: (task: Task) => boolean;
  /** What the user reads of a task's state, which the filter searches as well. */
  readonly stateWords: (task: Task | RemoteTask) => string;
}

/** A group that is not empty, with the tasks of it that are shown. */
export interface ListedGroup extends KnownTasks {
  readonly group: TaskGroup;
  /** How many tasks it has, shown or not. */
  readonly count: number;
}

/** The prompt of a task as its record names it; empty when it does not. */
export function promptOf({ raw }: Pick<TaskSnapshot, 'raw'>): string {
  return isObject(raw) && typeof raw.prompt === 'string' ? raw.prompt : '';
}

/** The model of a task as its record names it. */
export function modelOf({ raw }: Pick<TaskSnapshot, 'raw'>): string | undefined {
  return isObject(raw) && typeof raw.model === 'string' ? raw.model : undefined;
}

/** The groups in the order in which they are shown. */
const groups: readonly TaskGroup[] = [
  'running',
  'attention',
  'completed',
  'failed',
  'cancelled',
  'unwatched',
];

/** Filters, sorts and groups tasks. In each group the own tasks come first. */
export function listTasks({ own, remote }: KnownTasks, options: ListOptions): readonly ListedGroup[] {
  const { filter, order, maxShown, isInFlight, stateWords } = options;
  const wanted = wordsOf(filter);
  const isFound = (task: Task | RemoteTask, text: string) =>
    wanted.length === 0 || holds(`${text} ${stateWords(task)}`, wanted);
  const ownByGroup = Map.groupBy(
    sorted(
      own.filter((task) => isFound(task, ownText(task))),
      order,
    ),
    (task) => groupOf(task, isInFlight(task)),
  );
  const remoteByGroup = Map.groupBy(
    remote.filter((task) => isFound(task, remoteText(task))),
    remoteGroupOf,
  );
  return groups.flatMap((group) => {
    const all = { own: ownByGroup.get(group) ?? [], remote: remoteByGroup.get(group) ?? [] };
    const count = all.own.length + all.remote.length;
    return count === 0 ? [] : [{ group, count, ...firstOf(all, maxShown(group)) }];
  });
}

function firstOf({ own, remote }: KnownTasks, max: number): KnownTasks {
  const first = own.slice(0, max);
  return { own: first, remote: remote.slice(0, max - first.length) };
}

function sorted(tasks: readonly Task[], order: TaskOrder): readonly Task[] {
  switch (order) {
    case 'newest':
      return tasks;
    case 'oldest':
      return tasks.toReversed();
    case 'model':
      return tasks.toSorted((a, b) => (a.model ?? '').localeCompare(b.model ?? ''));
  }
}

/** The group of a task that nobody here made, by what its gateway says. Nobody here polls it. */
export function remoteGroupOf(task: RemoteTask): TaskGroup {
  return task.status === 'failed' ? groupOfFailed(task) : task.status;
}

function ownText({ model, prompt, gatewayName, status, failedAs, rawStatus, taskId }: Task): string {
  return [model, prompt, gatewayName, failedAs ?? status, rawStatus, taskId].join(' ');
}

function remoteText(task: RemoteTask): string {
  return [task.id, task.rawStatus, promptOf(task), modelOf(task)].join(' ');
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function holds(text: string, wanted: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return wanted.every((word) => lower.includes(word));
}
