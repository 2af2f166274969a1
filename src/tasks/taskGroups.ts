import { isObject } from '../base/json.ts';
import { containsWords, searchWords } from '../base/searchWords.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import { findFailedGroup, findTaskGroup, type RemoteTask, type Task, type TaskGroup } from './record/task.ts';

export type TaskOrder = 'newest' | 'oldest' | 'model';

/** All tasks that can be shown. */
interface ListableTasks {
  /** The tasks of the ledger, newest first. */
  readonly own: readonly Task[];
  readonly remote: readonly RemoteTask[];
}

interface ListOptions {
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

/** Reads the prompt in the record of a task; empty if there is none. */
export function readRecordPrompt({ raw }: Pick<TaskSnapshot, 'raw'>): string {
  return isObject(raw) && typeof raw.prompt === 'string' ? raw.prompt : '';
}

/** Reads the model in the record of a task. */
export function readRecordModel({ raw }: Pick<TaskSnapshot, 'raw'>): string | undefined {
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

/** Filters, sorts and groups tasks. In each group, own tasks are before remote tasks. */
export function groupTasks({ own, remote }: ListableTasks, options: ListOptions): readonly ListedGroup[] {
  const { filter, order, maxShown, isInFlight, stateWords } = options;
  const filterWords = searchWords(filter);
  const matchesFilter = (task: Task | RemoteTask, text: string) =>
    filterWords.length === 0 || containsWords(`${text} ${stateWords(task)}`, filterWords);
  const ownByGroup = Map.groupBy(
    sortTasks(
      own.filter((task) => matchesFilter(task, joinOwnText(task))),
      order,
    ),
    (task) => findTaskGroup(task, isInFlight(task)),
  );
  const remoteByGroup = Map.groupBy(
    remote.filter((task) => matchesFilter(task, joinRemoteText(task))),
    findRemoteGroup,
  );
  return groups.flatMap((group) => {
    const all = { own: ownByGroup.get(group) ?? [], remote: remoteByGroup.get(group) ?? [] };
    const count = all.own.length + all.remote.length;
    return count === 0 ? [] : [{ group, count, ...takeFirst(all, maxShown(group)) }];
  });
}

function takeFirst({ own, remote }: ListableTasks, max: number): ListableTasks {
  const first = own.slice(0, max);
  return { own: first, remote: remote.slice(0, max - first.length) };
}

function sortTasks(tasks: readonly Task[], order: TaskOrder): readonly Task[] {
  switch (order) {
    case 'newest':
      return tasks;
    case 'oldest':
      return tasks.toReversed();
    case 'model':
      return tasks.toSorted((a, b) => (a.model ?? '').localeCompare(b.model ?? ''));
  }
}

/** Finds the group of a task that was not created here, by the gateway's status. Such tasks are not polled. */
export function findRemoteGroup(task: RemoteTask): TaskGroup {
  return task.status === 'failed' ? findFailedGroup(task) : task.status;
}

function joinOwnText({ model, prompt, gatewayName, status, failedAs, rawStatus, taskId }: Task): string {
  return [model, prompt, gatewayName, failedAs ?? status, rawStatus, taskId].join(' ');
}

function joinRemoteText(task: RemoteTask): string {
  return [task.id, task.rawStatus, readRecordPrompt(task), readRecordModel(task)].join(' ');
}
