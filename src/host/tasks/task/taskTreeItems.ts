import * as vscode from 'vscode';
import type { TaskProgress } from '../../../base/taskProgress.ts';
import type { TaskAppearance } from '../../../protocol/taskPage.ts';
import { groupOf, type Task } from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { type RemoteTask, recordModel, recordPrompt, remoteGroupOf } from '../../../tasks/taskList.ts';
import { factLine } from '../../kit/display/joinNames.ts';
import { shortTime } from '../../kit/display/timeWords.ts';
import { treeItem } from '../../kit/display/treeRows.ts';
import { problemEntry, problemTitle, problemWords } from '../../kit/explanationWords.ts';
import { commandName } from '../../kit/manifest/contributions.ts';
import { actionsFor } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import {
  appearanceIconName,
  appearanceOf,
  clockTime,
  deletedWords,
  groupName,
  progressSentence,
  reportedStatus,
  shortProgress,
  shortPrompt,
  statusWords,
  untitled,
} from './taskWords.ts';

interface TaskRowContext {
  readonly isInFlight: boolean;
  readonly progress: TaskProgress | undefined;
}

const colors: Readonly<Record<TaskAppearance, string | undefined>> = {
  queued: undefined,
  running: undefined,
  downloading: undefined,
  attention: 'list.warningForeground',
  completed: 'testing.iconPassed',
  empty: 'list.warningForeground',
  failed: 'list.errorForeground',
  cancelled: 'disabledForeground',
  unwatched: 'disabledForeground',
};

/** The longest label of a row, in UTF-16 units. VS Code cuts it to the width of the view. */
const maxLabelLength = 200;

/**
 * The row of a task: its label is the prompt, its icon shows the state, and its description the time and the
 * state.
 */
export function taskItem(task: Task, context: TaskRowContext): vscode.TreeItem {
  const label = shortPrompt(task.prompt, maxLabelLength) || untitled(task);
  const description = descriptionOf(task, context);
  const appearance = appearanceOf(task, context.isInFlight);
  return treeItem({
    id: `task/${task.key}`,
    label,
    icon: appearanceIconName(appearance),
    color: colors[appearance],
    description,
    tooltip: tooltip(task, context),
    context: [
      'task',
      ...actionsFor(task, context.isInFlight),
      ...(mayBeConnectionProblem(task) ? ['check-connection'] : []),
    ].join(' '),
    command: { command: commandName('tasks.openPage'), title: vscode.l10n.t('Open') },
    spoken: factLine([statusWords(task, context.isInFlight), label, description]),
  });
}

/** Whether the connection to the gateway may be the cause of the failure. */
function mayBeConnectionProblem({ problem }: Task): boolean {
  return problem !== undefined && problemEntry(problem)?.steps.includes('check-connection') === true;
}

/** The row of a task that is not in the ledger. */
export function remoteItem(task: RemoteTask): vscode.TreeItem {
  const label = shortPrompt(recordPrompt(task), maxLabelLength) || task.id;
  const facts = [
    task.createdAt ? shortTime(task.createdAt.getTime()) : '',
    isQueued(task) ? vscode.l10n.t('queued') : '',
    vscode.l10n.t('created elsewhere'),
    recordModel(task),
  ];
  const description = facts.filter(Boolean).join(' · ');
  return treeItem({
    id: `remote/${task.id}`,
    label,
    icon: remoteIcon(task),
    color: 'disabledForeground',
    description,
    tooltip: remoteTooltip(task),
    spoken: factLine([groupName(remoteGroupOf(task)), label, description]),
    context: 'remoteTask',
    command: { command: commandName('tasks.openPage'), title: vscode.l10n.t('Add to This List') },
  });
}

function remoteTooltip(task: RemoteTask): string {
  const lines = [
    reportedStatus(task),
    shortPrompt(recordPrompt(task), 400),
    task.status === 'running'
      ? vscode.l10n.t(
          'It was running when the gateway listed it. It was created on another machine or by another program, or removed from this list. Add it to this list to watch it and to save its result.',
        )
      : vscode.l10n.t(
          'The gateway lists this task; it was created elsewhere, or removed from this list. Add it to this list to save its result.',
        ),
    vscode.l10n.t('Task ID: {0}', task.id),
  ];
  return lines.filter(Boolean).join('\n\n');
}

/** A task that runs elsewhere has no spinning icon, because this window does not poll it. */
function remoteIcon({ status, failedAs }: RemoteTask): string {
  if (status === 'running') return 'cloud';
  return appearanceIconName(failedAs === 'cancelled' ? 'cancelled' : status);
}

function descriptionOf(task: Task, context: TaskRowContext): string {
  const facts = [
    ...timeAndState(task, context),
    task.deletedAt === undefined ? '' : deletedWords().toLowerCase(),
    shortPrompt(task.model ?? task.taskId ?? ''),
  ];
  return facts.filter(Boolean).join(' · ');
}

/** The time and the state. The time is short and comes first, so that it is visible in a narrow side bar. */
function timeAndState(task: Task, context: TaskRowContext): readonly string[] {
  const since = task.submittedAt ?? task.intendedAt;
  const isRunning = groupOf(task, context.isInFlight) === 'running';
  const time = isRunning ? clockTime(Date.now() - since) : shortTime(since);
  return [time, ...stateWords(task, context)];
}

/** The state in a few words, without the words of the group's heading. */
function stateWords(task: Task, { isInFlight, progress }: TaskRowContext): readonly string[] {
  const status = statusWords(task, isInFlight).toLowerCase();
  switch (groupOf(task, isInFlight)) {
    case 'running':
      return [isInFlight || isQueued(task) ? status : shortProgress(progress)];
    case 'completed':
      return savingOf(task);
    case 'attention':
      return task.status === 'completed' ? savingOf(task) : [status];
    case 'failed':
      return [reasonOf(task) || status];
    case 'cancelled':
      return [];
    case 'unwatched':
      return [shortProgress(progress)];
  }
}

/** The state of the results. */
function savingOf({ results, holds, route }: Task): readonly string[] {
  if (results.length === 0) {
    if (holds === 'text') return [vscode.l10n.t('text')];
    return [route ? vscode.l10n.t('no result') : vscode.l10n.t('no file')];
  }
  const failed = results.find(({ state }) => state === 'failed');
  if (failed)
    return [vscode.l10n.t('not saved'), shortPrompt(failed.problem ? problemWords(failed.problem) : '')];
  if (results.some(({ state }) => state === 'waiting' || state === 'downloading'))
    return [vscode.l10n.t('downloading')];
  const isSaved = results.some(({ state }) => state === 'saved');
  return [isSaved ? vscode.l10n.t('saved') : vscode.l10n.t('a link')];
}

function reasonOf({ status, problem }: Task): string {
  const reason = shortPrompt(problem ? problemTitle(problem) : '');
  return status === 'refused' && reason !== '' ? vscode.l10n.t('refused: {0}', reason) : reason;
}

function tooltip(task: Task, context: TaskRowContext): string {
  const duration = task.endedAt && clockTime(task.endedAt - (task.submittedAt ?? task.intendedAt));
  const lines = [
    [statusWords(task, context.isInFlight), reportedStatus(task)].filter(Boolean).join('. '),
    progressSentence(context.progress),
    shortPrompt(task.prompt, 400),
    noticeOf(task, context.isInFlight)?.detail,
    task.model && vscode.l10n.t('Model: {0}', task.model),
    duration && vscode.l10n.t('It took {0}.', duration),
    task.taskId && vscode.l10n.t('Task ID: {0}', task.taskId),
    vscode.l10n.t(
      'Created on {0} at {1}',
      new Date(task.intendedAt).toLocaleString(vscode.env.language),
      task.gatewayName,
    ),
  ];
  return lines.filter(Boolean).join('\n\n');
}
