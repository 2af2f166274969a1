import * as vscode from 'vscode';
import type { TaskProgress } from '../../base/taskProgress.ts';
import type { TaskAppearance } from '../../protocol/taskPage.ts';
import { isQueued } from '../../tasks/runProgress.ts';
import { groupOf, type Task } from '../../tasks/task.ts';
import { modelOf, promptOf, type RemoteTask, remoteGroupOf } from '../../tasks/taskList.ts';
import { commandName } from '../contributions.ts';
import { clipped } from '../display/plainText.ts';
import { treeItem } from '../display/rows.ts';
import { shortTime } from '../display/shortTime.ts';
import { problemWords } from '../explanationWords.ts';
import { progressSentence, shortProgress } from './progressWords.ts';
import { actionsFor } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import {
  appearanceIcon,
  appearanceOf,
  clockTime,
  groupName,
  providersWord,
  shortPrompt,
  statusOf,
  untitled,
} from './taskWords.ts';

export interface TaskRowContext {
  readonly inFlight: boolean;
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

/** The longest labels of rows, in UTF-16 units. How far a running task is is seen in a side bar of 250 pixels, too. */
const maxRunningLabelLength = 20;
const maxLabelLength = 40;
const maxWordLength = 60;

/**
 * The row of a task: its label is the prompt, its icon shows the state, and its description tells first what its
 * neighbours in the group do not share.
 */
export function taskItem(task: Task, context: TaskRowContext): vscode.TreeItem {
  const isRunning = groupOf(task, context.inFlight) === 'running';
  const longest = isRunning ? maxRunningLabelLength : maxLabelLength;
  const label = shortPrompt(task.prompt, longest) || untitled(task);
  const description = describe(task, context);
  const appearance = appearanceOf(task, context.inFlight);
  return treeItem({
    id: `task/${task.key}`,
    label,
    icon: appearanceIcon(appearance),
    color: colors[appearance],
    description,
    tooltip: tooltip(task, context),
    context: ['task', ...actionsFor(task, context.inFlight)].join(' '),
    command: { command: commandName('tasks.openSelected'), title: vscode.l10n.t('Open') },
    spoken: `${statusOf(task, context.inFlight)}, ${label}, ${description}`,
  });
}

/** The row of a task that is not in the ledger. */
export function remoteItem(task: RemoteTask): vscode.TreeItem {
  const label = shortPrompt(promptOf(task), maxLabelLength) || task.id;
  const group = remoteGroupOf(task);
  const facts = [
    task.createdAt ? shortTime(task.createdAt.getTime()) : '',
    group === 'unwatched' ? clipped(task.rawStatus ?? '', maxWordLength) : '',
    vscode.l10n.t('made elsewhere'),
    modelOf(task),
  ];
  const description = facts.filter(Boolean).join(' · ');
  return treeItem({
    id: `remote/${task.id}`,
    label,
    icon: appearanceIcon(remoteAppearance(task)),
    color: 'disabledForeground',
    description,
    tooltip: remoteTooltip(task),
    spoken: `${groupName(group)}, ${label}, ${description}`,
    context: 'remoteTask',
    command: { command: commandName('tasks.openSelected'), title: vscode.l10n.t('Keep Here') },
  });
}

function remoteTooltip(task: RemoteTask): string {
  const lines = [
    providersWord(task),
    shortPrompt(promptOf(task), 400),
    vscode.l10n.t(
      'The gateway lists this task; it was made elsewhere, or removed from this list. Keep it here to watch it and to save its result.',
    ),
    vscode.l10n.t('Task ID: {0}', task.id),
  ];
  return lines.filter(Boolean).join('\n\n');
}

function remoteAppearance({ status, failedAs }: RemoteTask): TaskAppearance {
  if (status === 'running') return 'unwatched';
  return failedAs === 'cancelled' ? 'cancelled' : status;
}

function describe(task: Task, context: TaskRowContext): string {
  const facts = [...standing(task, context), shortPrompt(task.model ?? task.taskId ?? '')];
  return facts.filter(Boolean).join(' · ');
}

/** The state and the time. Leaves out what the heading of the group says. */
function standing(task: Task, context: TaskRowContext): readonly string[] {
  const status = statusOf(task, context.inFlight).toLowerCase();
  const since = task.submittedAt ?? task.intendedAt;
  const time = shortTime(since);
  switch (groupOf(task, context.inFlight)) {
    case 'running':
      if (context.inFlight || isQueued(task)) return [status, clockTime(Date.now() - since)];
      return [shortProgress(context.progress), clockTime(Date.now() - since)];
    case 'completed':
      return savedFirst(task, time);
    case 'attention':
      return task.status === 'completed' ? savedFirst(task, time) : [status, time];
    case 'failed':
      return [reasonOf(task) || status, time];
    case 'cancelled':
      return [time];
    case 'unwatched':
      return [time, shortProgress(context.progress)];
  }
}

/** Puts first what became of the result, unless all is well. */
function savedFirst(task: Task, time: string): readonly string[] {
  const { results } = task;
  if (results.length === 0) return [vscode.l10n.t('no result'), time];
  const failed = results.find(({ state }) => state === 'failed');
  if (failed)
    return [
      vscode.l10n.t('not saved'),
      shortPrompt(failed.problem ? problemWords(failed.problem) : ''),
      time,
    ];
  if (results.some(({ state }) => state === 'waiting' || state === 'fetching'))
    return [vscode.l10n.t('downloading'), time];
  const isSaved = results.some(({ state }) => state === 'saved');
  return [time, isSaved ? vscode.l10n.t('saved') : vscode.l10n.t('a link')];
}

function reasonOf({ status, problem }: Task): string {
  const reason = shortPrompt(problem ? problemWords(problem) : '');
  return status === 'refused' && reason !== '' ? vscode.l10n.t('not made: {0}', reason) : reason;
}

function tooltip(task: Task, context: TaskRowContext): string {
  const took = task.endedAt && clockTime(task.endedAt - (task.submittedAt ?? task.intendedAt));
  const lines = [
    [statusOf(task, context.inFlight), providersWord(task)].filter(Boolean).join('. '),
    progressSentence(context.progress),
    shortPrompt(task.prompt, 400),
    noticeOf(task, context.inFlight)?.detail,
    task.model && vscode.l10n.t('Model: {0}', task.model),
    took && vscode.l10n.t('It took {0}.', took),
    task.taskId && vscode.l10n.t('Task ID: {0}', task.taskId),
    vscode.l10n.t(
      'Made {0} with {1}',
      new Date(task.intendedAt).toLocaleString(vscode.env.language),
      task.gatewayName,
    ),
  ];
  return lines.filter(Boolean).join('\n\n');
}
