import * as vscode from 'vscode';
import type { TaskGroup } from '../../tasks/record/task.ts';
import type { GatewayError } from '../../wire/failure.ts';
import { failureMessage } from '../connection/failures/failureMessage.ts';
import { commandName } from '../kit/contributions.ts';
import { treeItem } from '../kit/display/rows.ts';
import { groupName } from './taskWords.ts';

// The rows of the Tasks view that are no tasks.

/**
 * The row of a group.
 *
 * @param count the number of its tasks, including those not shown
 */
export function groupItem(group: TaskGroup, count: number): vscode.TreeItem {
  return treeItem({
    id: `group/${group}`,
    label: groupName(group),
    description: String(count),
    context: 'taskGroup',
    children: group === 'unwatched' ? 'collapsed' : 'expanded',
  });
}

/** The row for the tasks of a group that are not shown yet. */
export function restItem(group: TaskGroup, count: number): vscode.TreeItem {
  const label = vscode.l10n.t('Show More ({0})', count);
  const command = { command: commandName('tasks.openSelected'), title: label };
  return treeItem({ id: `rest/${group}`, label, icon: 'ellipsis', command });
}

/** The row for the tasks that were not listed yet. */
export function moreItem(): vscode.TreeItem {
  const label = vscode.l10n.t('Load More from the Gateway');
  const command = { command: commandName('tasks.loadMore'), title: label };
  return treeItem({ id: 'more', label, icon: 'ellipsis', command });
}

/** The row for a failure to list the gateway's tasks. */
export function failureItem(error: GatewayError): vscode.TreeItem {
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
export function filterItem(filter: string): vscode.TreeItem {
  const label = vscode.l10n.t('Showing only “{0}”', filter);
  return treeItem({
    id: 'filter',
    label,
    icon: 'filter-filled',
    description: vscode.l10n.t('click to show all'),
    command: { command: commandName('tasks.clearFilter'), title: label },
  });
}
