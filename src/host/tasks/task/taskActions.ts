import * as vscode from 'vscode';
import type { TaskButton } from '../../../protocol/taskPage.ts';
import { findTaskGroup, type LedgerResult, type Task } from '../../../tasks/record/task.ts';
import type { CommandId } from '../../kit/manifest/contributions.ts';
import { getActionLabel } from '../../kit/noticeActions.ts';

interface TaskActionEntry {
  /** The label of its button. */
  readonly label: () => string;
  /** The command of its button. Its icon is in the manifest. */
  readonly command: CommandId;
  /** Whether it is possible for a task now; absent for actions of a result or a notice only. */
  readonly isEnabled?: (task: Task) => boolean;
  /** Whether it is also possible while the task's request is being sent. */
  readonly isEnabledWhileSending?: true;
  /** Whether it has a button of its own while it is enabled; otherwise it is in the menu. */
  readonly isMain?: (task: Task) => boolean;
  /** Whether it is shown with a result. Actions of a task's only result are also shown with the task. */
  readonly isForResult?: (result: LedgerResult, isOnly: boolean) => boolean;
}

/**
 * The actions on tasks and results, in the order of the buttons. Their ids are in the context value of a row,
 * which the manifest's menus use, and in the page's messages.
 */
export const taskActions = {
  send: {
    label: () => vscode.l10n.t('Send…'),
    command: 'tasks.send',
    isEnabled: ({ status }) => status === 'intent',
    isMain: () => true,
  },
  discard: {
    label: () => vscode.l10n.t('Discard'),
    command: 'tasks.discard',
    isEnabled: ({ status }) => status === 'intent',
    isMain: () => true,
  },
  find: {
    label: () => vscode.l10n.t('Find Task'),
    command: 'tasks.find',
    isEnabled: ({ status }) => status === 'unknown',
    isMain: () => true,
  },
  cancel: {
    label: () => vscode.l10n.t('Cancel Task'),
    command: 'tasks.cancel',
    isEnabled: isRunning,
    isMain: ({ watching }) => watching === 'on',
  },
  resume: {
    label: () => vscode.l10n.t('Resume Watching'),
    command: 'tasks.resume',
    isEnabled: (task) => isRunning(task) && task.watching !== 'on',
    isMain: () => true,
  },
  'watch-now': {
    label: () => vscode.l10n.t('Check Now'),
    command: 'tasks.watchNow',
    isEnabled: ({ status, taskId, deletedAt }) =>
      taskId !== undefined && deletedAt === undefined && status !== 'completed' && status !== 'failed',
    isMain: ({ status }) => status === 'running',
  },
  'stop-watching': {
    label: () => vscode.l10n.t('Stop Watching'),
    command: 'tasks.stopWatching',
    isEnabled: (task) => isRunning(task) && task.watching === 'on',
  },
  save: {
    label: () => vscode.l10n.t('Save As…'),
    command: 'tasks.save',
    isEnabled: isSaved,
    isMain: (task) => findTaskGroup(task, false) === 'completed',
    isForResult: ({ state }, isOnly) => state === 'saved' && !isOnly,
  },
  'open-in-player': {
    label: () => vscode.l10n.t('Open in Player'),
    command: 'tasks.openInPlayer',
    isEnabled: isSaved,
    isForResult: ({ state }) => state === 'saved',
  },
  reveal: {
    label: () => vscode.l10n.t('Reveal File'),
    command: 'tasks.reveal',
    isEnabled: isSaved,
    isForResult: ({ state }) => state === 'saved',
  },
  'download-again': {
    label: () => vscode.l10n.t('Download Again'),
    command: 'tasks.downloadResult',
    isEnabled: ({ results }) => results.some(isDownloadable),
    isForResult: isDownloadable,
  },
  'stop-download': {
    label: () => vscode.l10n.t('Stop Download'),
    command: 'tasks.stopDownload',
    isForResult: ({ state }) => state === 'downloading',
  },
  'open-link': {
    label: () => vscode.l10n.t('Copy Address'),
    command: 'tasks.copy',
    isForResult: ({ state }) => state === 'failed' || state === 'link',
  },
  'run-again': {
    label: () => vscode.l10n.t('Edit and Run Again…'),
    command: 'tasks.runAgain',
    isEnabled: ({ route, status }) => route !== undefined && status !== 'intent',
    isMain: ({ status }) => status !== 'running' && status !== 'unknown',
  },
  'copy-task-id': {
    label: () => vscode.l10n.t('Copy Task ID'),
    command: 'tasks.copy',
    isEnabled: ({ taskId }) => taskId !== undefined,
  },
  'copy-request-id': {
    label: () => vscode.l10n.t('Copy Request ID'),
    command: 'tasks.copy',
    isEnabled: ({ requestId }) => requestId !== undefined,
    isEnabledWhileSending: true,
  },
  'copy-request': {
    label: () => vscode.l10n.t('Copy Request'),
    command: 'tasks.copy',
    isEnabled: ({ route }) => route !== undefined,
    isEnabledWhileSending: true,
  },
  'copy-record': {
    label: () => vscode.l10n.t('Copy Record'),
    command: 'tasks.copy',
    isEnabled: ({ taskId }) => taskId !== undefined,
  },
  'copy-text': {
    label: () => vscode.l10n.t('Copy Text'),
    command: 'tasks.copy',
  },
  delete: {
    label: () => vscode.l10n.t('Delete at the Gateway…'),
    command: 'tasks.delete',
    isEnabled: ({ status, taskId, deletedAt }) =>
      taskId !== undefined && deletedAt === undefined && status !== 'missing',
  },
  remove: {
    label: () => vscode.l10n.t('Remove from This List…'),
    command: 'tasks.remove',
    isEnabled: ({ status }) => status !== 'intent',
  },
  'set-credential': {
    label: () => vscode.l10n.t('Set Credential…'),
    command: 'setCredential',
  },
  'set-upstream-key': {
    label: () => vscode.l10n.t('Set Upstream Key…'),
    command: 'localGateway.setKey',
  },
  'raise-limit': {
    label: () => getActionLabel('raise-limit'),
    command: 'raiseSpendingLimit',
  },
  'open-limits': {
    label: () => getActionLabel('open-limits'),
    command: 'openSpendingLimits',
  },
  'show-field': {
    label: () => vscode.l10n.t('Show Field'),
    command: 'tasks.runAgain',
  },
  'check-connection': {
    label: () => vscode.l10n.t('Check Connection'),
    command: 'checkConnection',
  },
  'open-request': {
    label: () => vscode.l10n.t('Open the Request'),
    command: 'requests.openRequest',
  },
  'show-log': {
    label: () => vscode.l10n.t('Show Log'),
    command: 'showLog',
  },
} as const satisfies Readonly<Record<string, TaskActionEntry>>;

export type TaskActionId = keyof typeof taskActions;

const entries: Readonly<Record<TaskActionId, TaskActionEntry>> = taskActions;
const ids = Object.keys(taskActions) as readonly TaskActionId[];

/** Finds the command of an action; undefined for an unknown id. */
export function findCommand(action: string): CommandId | undefined {
  return Object.hasOwn(entries, action) ? entries[action as TaskActionId].command : undefined;
}

/**
 * Whether an action is possible for a task now.
 *
 * @param isInFlight whether its request is being sent
 */
export function isActionEnabled(task: Task, isInFlight: boolean, action: TaskActionId): boolean {
  const { isEnabled, isEnabledWhileSending = false } = entries[action];
  return isEnabled?.(task) === true && (!isInFlight || isEnabledWhileSending);
}

/** Lists the actions that are possible for a task now. */
export function listActions(task: Task, isInFlight: boolean): readonly TaskActionId[] {
  return ids.filter((action) => isActionEnabled(task, isInFlight, action));
}

/** Like `listActions`, divided into main actions and other actions. */
export function rankActions(
  task: Task,
  isInFlight: boolean,
): { readonly main: readonly TaskActionId[]; readonly others: readonly TaskActionId[] } {
  const actions = listActions(task, isInFlight);
  const main = isInFlight ? [] : actions.filter((action) => entries[action].isMain?.(task));
  return { main, others: actions.filter((action) => !main.includes(action)) };
}

/** Lists the actions that are possible for a result. */
export function listResultActions(result: LedgerResult, isOnly: boolean): readonly TaskActionId[] {
  return ids.filter((action) => entries[action].isForResult?.(result, isOnly));
}

export function createTaskButton(action: TaskActionId): TaskButton {
  return { action, label: entries[action].label() };
}

function isRunning({ status, taskId }: Task): boolean {
  return status === 'running' && taskId !== undefined;
}

function isSaved({ results }: Task): boolean {
  return results.some(({ state }) => state === 'saved');
}

function isDownloadable({ state }: LedgerResult): boolean {
  return state === 'failed' || state === 'waiting';
}
