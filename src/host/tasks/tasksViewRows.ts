import * as vscode from 'vscode';
import type { Task, TaskGroup } from '../../tasks/record/task.ts';
import type { ListedGroup, RemoteTask } from '../../tasks/taskList.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { treeItem } from '../kit/display/treeRows.ts';
import { commandName } from '../kit/manifest/contributions.ts';
import type { RemoteTasks } from './remoteTasks.ts';
import { remoteItem, taskItem } from './task/taskTreeItems.ts';
import { groupName } from './task/taskWords.ts';

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
  /** The tasks that were not listed yet. */
  | { readonly kind: 'more' };

/** The content of the view. */
interface ViewContent {
  readonly groups: readonly ListedGroup[];
  readonly tasks: TaskService;
  readonly remoteTasks: RemoteTasks;
  readonly filter: string;
}

/** The rows of the Tasks view. */
export function tasksViewRows(content: ViewContent): readonly TreeRow<TasksNode>[] {
  const { groups, tasks, remoteTasks } = content;
  return [
    ...notices(content),
    ...groups.map((group) => groupRow(group, tasks)),
    ...(remoteTasks.hasMore ? [row('more', { kind: 'more' }, '', moreItem)] : []),
  ];
}

function notices({ remoteTasks: { error }, filter }: ViewContent): readonly TreeRow<TasksNode>[] {
  return [
    ...(error && error.kind !== 'cancelled'
      ? [row('failure', { kind: 'notice' }, error, () => failureItem(error))]
      : []),
    ...(filter === '' ? [] : [row('filter', { kind: 'notice' }, filter, () => filterItem(filter))]),
  ];
}

function groupRow({ group, count, own, remote }: ListedGroup, tasks: TaskService): TreeRow<TasksNode> {
  const left = count - own.length - remote.length;
  const rest = row(`rest/${group}`, { kind: 'rest', group }, left, () => restItem(group, left));
  return {
    ...row(`group/${group}`, { kind: 'group', group, count }, count, () => groupItem(group, count)),
    children: [
      ...own.map((task) => taskRow(task, tasks)),
      ...remote.map((task) =>
        row(`remote/${task.id}`, { kind: 'remote', task }, task, () => remoteItem(task)),
      ),
      ...(left > 0 ? [rest] : []),
    ],
  };
}

function taskRow(task: Task, tasks: TaskService): TreeRow<TasksNode> {
  const isInFlight = tasks.isInFlight(task);
  return row(`task/${task.key}`, { kind: 'task', key: task.key }, [task, isInFlight], () =>
    taskItem(task, { isInFlight, progress: tasks.runProgress(task) }),
  );
}

function row(id: string, node: TasksNode, look: unknown, item: () => vscode.TreeItem): TreeRow<TasksNode> {
  return { id, node, look, item };
}

/** @param count the number of the group's tasks, including hidden ones */
function groupItem(group: TaskGroup, count: number): vscode.TreeItem {
  return treeItem({
    id: `group/${group}`,
    label: groupName(group),
    description: String(count),
    context: 'taskGroup',
    children: group === 'unwatched' ? 'collapsed' : 'expanded',
  });
}

/** The row for the tasks of a group that are not shown yet. */
function restItem(group: TaskGroup, count: number): vscode.TreeItem {
  const label = vscode.l10n.t('Show More ({0})', count);
  const command = { command: commandName('tasks.openPage'), title: label };
  return treeItem({ id: `rest/${group}`, label, icon: 'ellipsis', command });
}

/** The row for the tasks that were not listed yet. */
function moreItem(): vscode.TreeItem {
  const label = vscode.l10n.t('Load More from the Gateway');
  const command = { command: commandName('tasks.loadMore'), title: label };
  return treeItem({ id: 'more', label, icon: 'ellipsis', command });
}

/** The row for a failure to list the gateway's tasks. */
function failureItem(error: GatewayError): vscode.TreeItem {
  const message = failureMessage(error);
  return treeItem({
    id: 'failure',
    label: message.title,
    icon: 'error',
    color: 'list.errorForeground',
    description: vscode.l10n.t('showing only local tasks'),
    tooltip: message.details,
    command: { command: commandName('tasks.refresh'), title: message.title },
  });
}

/** The row that names the active filter. */
function filterItem(filter: string): vscode.TreeItem {
  const label = vscode.l10n.t('Showing only “{0}”', filter);
  return treeItem({
    id: 'filter',
    label,
    icon: 'filter-filled',
    description: vscode.l10n.t('click to show all'),
    command: { command: commandName('tasks.clearFilter'), title: label },
  });
}
