import { isObject } from '../base/json.ts';
import { containsWords, searchWords } from '../base/searchWords.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { groupOf, groupOfFailed, type Task, type TaskGroup } from './record/task.ts';

/** A task in the gateway's list that was not created on this machine. */
export type RemoteTask = TaskSnapshot & { readonly id: string };

export type TaskOrder = 'newest' | 'oldest' | 'model';

/** All tasks that can be shown. */
interface ListableTasks {
  /** The tasks of the ledger, newest first. */
  readonly own: readonly Task[];
  readonly remote: readonly RemoteTask[];
}

export interface ListOptions {
  /** Only tasks that contain every word of the filter are listed; an empty filter lists all. */
  readonly filter: string;
  readonly order: TaskOrder;
  /** The largest number of tasks to show in a group. */
  readonly maxShown: (group: TaskGroup) => number;
  /** Whether any window is currently sending the request of a task. */
  readonly isInFlight: (task: Task) => boolean;
  /** The displayed text of a task's state. The filter also searches it. */
  readonly stateWords: (task: Task | RemoteTask) => string;
}

/** A non-empty group with its shown tasks. */
export interface ListedGroup extends ListableTasks {
  readonly group: TaskGroup;
  /** The number of its tasks, including hidden ones. */
  readonly count: number;
}

/** The prompt in the record of a task; empty if there is none. */
export function recordPrompt({ raw }: Pick<TaskSnapshot, 'raw'>): string {
  return isObject(raw) && typeof raw.prompt === 'string' ? raw.prompt : '';
}

/** The model in the record of a task. */
export function recordModel({ raw }: Pick<TaskSnapshot, 'raw'>): string | undefined {
  return isObject(raw) && typeof raw.model === 'string' ? raw.model : undefined;
}

/** The groups in display order. */
const groups: readonly TaskGroup[] = [
  'running',
  'attention',
  'completed',
  'failed',
  'cancelled',
  'unwatched',
];

/** Filters, sorts and groups tasks. In each group the own tasks come first. */
export function groupTasks({ own, remote }: ListableTasks, options: ListOptions): readonly ListedGroup[] {
  const { filter, order, maxShown, isInFlight, stateWords } = options;
  const filterWords = searchWords(filter);
  const isFound = (task: Task | RemoteTask, text: string) =>
    filterWords.length === 0 || containsWords(`${text} ${stateWords(task)}`, filterWords);
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

function firstOf({ own, remote }: ListableTasks, max: number): ListableTasks {
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

/** The group of a task that was not created here, by the gateway's status. Such tasks are not polled. */
export function remoteGroupOf(task: RemoteTask): TaskGroup {
  return task.status === 'failed' ? groupOfFailed(task) : task.status;
}

function ownText({ model, prompt, gatewayName, status, failedAs, rawStatus, taskId }: Task): string {
  return [model, prompt, gatewayName, failedAs ?? status, rawStatus, taskId].join(' ');
}

function remoteText(task: RemoteTask): string {
  return [task.id, task.rawStatus, recordPrompt(task), recordModel(task)].join(' ');
}
