import * as vscode from 'vscode';
import type { RemoteTask, Task, TaskGroup } from '../../tasks/record/task.ts';
import type { ListedGroup } from '../../tasks/taskGroups.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createRow, type Row } from '../kit/display/treeRows.ts';
import { commandName } from '../kit/manifest/contributions.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import { createRemoteItem, createTaskItem } from './task/taskTreeItems.ts';
import { nameGroup } from './task/taskWords.ts';

/** A row of the Tasks view. */
export type TasksNode =
  | { readonly kind: 'notice' }
  | {
      readonly kind: 'group';
      readonly group: TaskGroup;
      /** The number of its tasks, including hidden ones. */
      readonly count: number;
    }
  | { readonly kind: 'task'; readonly key: string }
  | { readonly kind: 'remote'; readonly task: RemoteTask }
  /** The tasks of a group that are not shown yet. */
  | { readonly kind: 'rest'; readonly group: TaskGroup }
  /** The tasks that the gateway has not listed yet. */
  | { readonly kind: 'more' };

interface ViewContent {
  readonly groups: readonly ListedGroup[];
  readonly tasks: TaskService;
  readonly remoteTasks: RemoteTasks;
  readonly filter: string;
}

/** Creates the rows of the Tasks view. */
export function createRows(content: ViewContent): readonly TreeRow<TasksNode>[] {
  const { groups, tasks, remoteTasks } = content;
  return [
    ...createNoticeRows(content),
    ...groups.map((group) => createGroupRow(group, tasks)),
    ...(remoteTasks.hasMore ? [createRow({ kind: 'more' }, moreRow())] : []),
  ];
}

function createNoticeRows({ remoteTasks: { error }, filter }: ViewContent): readonly TreeRow<TasksNode>[] {
  return [
    ...(error && error.kind !== 'cancelled' ? [createRow({ kind: 'notice' }, failureRow(error))] : []),
    ...(filter === '' ? [] : [createRow({ kind: 'notice' }, filterRow(filter))]),
  ];
}

function createGroupRow({ group, count, own, remote }: ListedGroup, tasks: TaskService): TreeRow<TasksNode> {
  const hiddenCount = count - own.length - remote.length;
  const rest = createRow({ kind: 'rest', group }, restRow(group, hiddenCount));
  return {
    ...createRow({ kind: 'group', group, count }, groupRow(group, count)),
    children: [
      ...own.map((task) => createTaskRow(task, tasks)),
      ...remote.map(
        (task): TreeRow<TasksNode> => ({
          id: `remote/${task.id}`,
          node: { kind: 'remote', task },
          look: task,
          item: () => createRemoteItem(task),
        }),
      ),
      ...(hiddenCount > 0 ? [rest] : []),
    ],
  };
}

function createTaskRow(task: Task, tasks: TaskService): TreeRow<TasksNode> {
  const isInFlight = tasks.isInFlight(task);
  return {
    id: `task/${task.key}`,
    node: { kind: 'task', key: task.key },
    look: [task, isInFlight],
    item: () => createTaskItem(task, { isInFlight, progress: tasks.findProgress(task) }),
  };
}

/** @param count the number of the group's tasks, including hidden ones */
function groupRow(group: TaskGroup, count: number): Row {
  return {
    id: `group/${group}`,
    label: nameGroup(group),
    description: String(count),
    context: 'taskGroup',
    children: group === 'unwatched' ? 'collapsed' : 'expanded',
  };
}

/** The row for the tasks of a group that are not shown yet. */
function restRow(group: TaskGroup, count: number): Row {
  const label = vscode.l10n.t('Show More ({0})', count);
  const command = { command: commandName('tasks.openPage'), title: label };
  return { id: `rest/${group}`, label, icon: 'ellipsis', command };
}

/** The row for the tasks that the gateway has not listed yet. */
function moreRow(): Row {
  const label = vscode.l10n.t('Load More from the Gateway');
  const command = { command: commandName('tasks.loadMore'), title: label };
  return { id: 'more', label, icon: 'ellipsis', command };
}

/** The row for a failure to list the gateway's tasks. */
function failureRow(error: GatewayError): Row {
  const message = failureMessage(error);
  return {
    id: 'failure',
    label: message.title,
    icon: 'error',
    color: 'list.errorForeground',
    description: vscode.l10n.t('showing only local tasks'),
    tooltip: message.details,
    command: { command: commandName('tasks.refresh'), title: message.title },
  };
}

/** The row that names the active filter. */
function filterRow(filter: string): Row {
  const label = vscode.l10n.t('Showing only “{0}”', filter);
  return {
    id: 'filter',
    label,
    icon: 'filter-filled',
    description: vscode.l10n.t('click to show all'),
    command: { command: commandName('tasks.clearFilter'), title: label },
  };
}
