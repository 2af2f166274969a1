import * as vscode from 'vscode';
import type { RemoteTask, Task, TaskGroup } from '../../tasks/record/task.ts';
import type { ListedGroup } from '../../tasks/taskGroups.ts';
import type { TaskService } from '../../tasks/taskService.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createTreeItem } from '../kit/display/treeRows.ts';
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
  /** The tasks that were not listed yet. */
  | { readonly kind: 'more' };

/** The content of the view. */
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
    ...(remoteTasks.hasMore ? [createRow('more', { kind: 'more' }, '', createMoreItem)] : []),
  ];
}

function createNoticeRows({ remoteTasks: { error }, filter }: ViewContent): readonly TreeRow<TasksNode>[] {
  return [
    ...(error && error.kind !== 'cancelled'
      ? [createRow('failure', { kind: 'notice' }, error, () => createFailureItem(error))]
      : []),
    ...(filter === ''
      ? []
      : [createRow('filter', { kind: 'notice' }, filter, () => createFilterItem(filter))]),
  ];
}

function createGroupRow({ group, count, own, remote }: ListedGroup, tasks: TaskService): TreeRow<TasksNode> {
  const hiddenCount = count - own.length - remote.length;
  const rest = createRow(`rest/${group}`, { kind: 'rest', group }, hiddenCount, () =>
    createRestItem(group, hiddenCount),
  );
  return {
    ...createRow(`group/${group}`, { kind: 'group', group, count }, count, () =>
      createGroupItem(group, count),
    ),
    children: [
      ...own.map((task) => createTaskRow(task, tasks)),
      ...remote.map((task) =>
        createRow(`remote/${task.id}`, { kind: 'remote', task }, task, () => createRemoteItem(task)),
      ),
      ...(hiddenCount > 0 ? [rest] : []),
    ],
  };
}

function createTaskRow(task: Task, tasks: TaskService): TreeRow<TasksNode> {
  const isInFlight = tasks.isInFlight(task);
  return createRow(`task/${task.key}`, { kind: 'task', key: task.key }, [task, isInFlight], () =>
    createTaskItem(task, { isInFlight, progress: tasks.findProgress(task) }),
  );
}

function createRow(
  id: string,
  node: TasksNode,
  look: unknown,
  item: () => vscode.TreeItem,
): TreeRow<TasksNode> {
  return { id, node, look, item };
}

/** @param count the number of the group's tasks, including hidden ones */
function createGroupItem(group: TaskGroup, count: number): vscode.TreeItem {
  return createTreeItem({
    id: `group/${group}`,
    label: nameGroup(group),
    description: String(count),
    context: 'taskGroup',
    children: group === 'unwatched' ? 'collapsed' : 'expanded',
  });
}

/** Creates the row for the tasks of a group that are not shown yet. */
function createRestItem(group: TaskGroup, count: number): vscode.TreeItem {
  const label = vscode.l10n.t('Show More ({0})', count);
  const command = { command: commandName('tasks.openPage'), title: label };
  return createTreeItem({ id: `rest/${group}`, label, icon: 'ellipsis', command });
}

/** Creates the row for the tasks that were not listed yet. */
function createMoreItem(): vscode.TreeItem {
  const label = vscode.l10n.t('Load More from the Gateway');
  const command = { command: commandName('tasks.loadMore'), title: label };
  return createTreeItem({ id: 'more', label, icon: 'ellipsis', command });
}

/** Creates the row for a failure to list the gateway's tasks. */
function createFailureItem(error: GatewayError): vscode.TreeItem {
  const message = failureMessage(error);
  return createTreeItem({
    id: 'failure',
    label: message.title,
    icon: 'error',
    color: 'list.errorForeground',
    description: vscode.l10n.t('showing only local tasks'),
    tooltip: message.details,
    command: { command: commandName('tasks.refresh'), title: message.title },
  });
}

/** Creates the row that names the active filter. */
function createFilterItem(filter: string): vscode.TreeItem {
  const label = vscode.l10n.t('Showing only “{0}”', filter);
  return createTreeItem({
    id: 'filter',
    label,
    icon: 'filter-filled',
    description: vscode.l10n.t('click to show all'),
    command: { command: commandName('tasks.clearFilter'), title: label },
  });
}
