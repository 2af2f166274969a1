import * as vscode from 'vscode';
import type { TaskAction, TaskButton } from '../../protocol/taskPage.ts';
import { groupOf, type KeptResult, type Task } from '../../tasks/task.ts';

/** What can be done with a task now: first what is likeliest, then the rest. */
export interface TaskButtons {
  readonly main: readonly TaskAction[];
  readonly others: readonly TaskAction[];
}

/** The words on the button of an action. */
function actionName(action: TaskAction): string {
  switch (action) {
    case 'save':
      return vscode.l10n.t('Save as');
    case 'reveal':
      return vscode.l10n.t('Reveal file');
    case 'open-in-player':
      return vscode.l10n.t('Open in player');
    case 'fetch-again':
      return vscode.l10n.t('Download again');
    case 'stop-fetching':
      return vscode.l10n.t('Stop the download');
    case 'open-link':
      return vscode.l10n.t('Copy the address');
    case 'watch-now':
      return vscode.l10n.t('Check now');
    case 'stop-watching':
      return vscode.l10n.t('Stop watching');
    case 'resume':
      return vscode.l10n.t('Resume watching');
    case 'cancel':
      return vscode.l10n.t('Cancel task');
    case 'delete':
      return vscode.l10n.t('Delete at the gateway');
    case 'remove':
      return vscode.l10n.t('Remove from this list');
    case 'run-again':
      return vscode.l10n.t('Run again');
    case 'send':
      return vscode.l10n.t('Send');
    case 'discard':
      return vscode.l10n.t('Discard');
    case 'find':
      return vscode.l10n.t('Look for it');
    case 'set-credential':
      return vscode.l10n.t('Set credential');
    case 'show-log':
      return vscode.l10n.t('Show log');
    case 'copy-task-id':
      return vscode.l10n.t('Copy task id');
    case 'copy-request-id':
      return vscode.l10n.t('Copy request id');
    case 'copy-request':
      return vscode.l10n.t('Copy request');
    case 'copy-record':
      return vscode.l10n.t('Copy record');
    case 'copy-text':
      return vscode.l10n.t('Copy text');
  }
}

export function button(action: TaskAction): TaskButton {
  return { action, label: actionName(action) };
}

/** What can be done with a task now. */
export function buttonsOf(task: Task, inFlight: boolean): TaskButtons {
  const main = mainActions(task, inFlight);
  const others = possible(task, inFlight).filter((action) => !main.includes(action));
  return { main, others };
}

/** Whether an action makes sense for a task now. */
export function canDo(task: Task, inFlight: boolean, action: TaskAction): boolean {
  return possible(task, inFlight).includes(action);
}

/** What can be done with one of the results; what can be done with the only one stands with the task as well. */
export function resultActions({ state }: KeptResult, isOnly: boolean): readonly TaskAction[] {
  switch (state) {
    case 'saved':
      return isOnly ? ['open-in-player', 'reveal'] : ['save', 'open-in-player', 'reveal'];
    case 'fetching':
      return ['stop-fetching'];
    case 'failed':
      return ['fetch-again', 'open-link'];
    case 'waiting':
      return ['fetch-again'];
    case 'link':
      return ['open-link'];
  }
}

function mainActions(task: Task, inFlight: boolean): readonly TaskAction[] {
  if (task.stage === 'intent') return inFlight ? [] : ['send', 'discard'];
  if (task.stage === 'unknown') return ['find'];
  switch (groupOf(task, inFlight)) {
    case 'running':
      return isRunning(task) ? ['cancel', 'watch-now'] : [];
    case 'unwatched':
      return ['resume', 'watch-now'];
    case 'completed':
      return [...(isSaved(task) ? (['save'] as const) : []), ...repeat(task)];
    default:
      return repeat(task);
  }
}

function possible(task: Task, inFlight: boolean): readonly TaskAction[] {
  if (inFlight) return ['copy-request', 'copy-request-id'];
  const { stage, taskId, requestId, watching, route } = task;
  const actions: Partial<Record<TaskAction, boolean>> = {
    send: stage === 'intent',
    discard: stage === 'intent',
    find: stage === 'unknown',
    cancel: isRunning(task),
    'watch-now': taskId !== undefined && stage !== 'completed' && stage !== 'failed',
    'stop-watching': isRunning(task) && watching === 'on',
    resume: isRunning(task) && watching !== 'on',
    save: isSaved(task),
    'open-in-player': isSaved(task),
    reveal: isSaved(task),
    'fetch-again': task.results.some(({ state }) => state === 'failed' || state === 'waiting'),
    'run-again': route !== undefined && stage !== 'intent',
    'copy-task-id': taskId !== undefined,
    'copy-request-id': requestId !== undefined,
    'copy-request': route !== undefined,
    'copy-record': taskId !== undefined,
    delete: taskId !== undefined && stage !== 'gone',
    remove: stage !== 'intent',
  };
  return (Object.entries(actions) as [TaskAction, boolean][]).flatMap(([action, can]) => (can ? action : []));
}

function isRunning({ stage, taskId }: Task): boolean {
  return stage === 'running' && taskId !== undefined;
}

function isSaved({ results }: Task): boolean {
  return results.some(({ state }) => state === 'saved');
}

function repeat({ route }: Task): readonly TaskAction[] {
  return route === undefined ? [] : ['run-again'];
}
