import * as vscode from 'vscode';
import type { TaskProgress } from '../../../base/taskProgress.ts';
import type { TaskAppearance } from '../../../protocol/taskPage.ts';
import { findTaskGroup, type RemoteTask, type Task } from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { findRemoteGroup, readRecordModel, readRecordPrompt } from '../../../tasks/taskGroups.ts';
import { joinFacts } from '../../kit/display/joinNames.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import { createTreeItem } from '../../kit/display/treeRows.ts';
import {
  describeProblemBriefly,
  describeStoredProblem,
  findCatalogueEntry,
} from '../../kit/explanationWords.ts';
import { commandName } from '../../kit/manifest/contributions.ts';
import { listActions } from './taskActions.ts';
import { createTaskNotice } from './taskNotice.ts';
import {
  chooseAppearance,
  chooseIcon,
  describeDeleted,
  describeStatus,
  formatClockTime,
  formatProgress,
  formatShortProgress,
  nameGroup,
  nameUntitled,
  quoteStatus,
  shortenPrompt,
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

/** The length limit of a row's label, in UTF-16 units. VS Code cuts it to the width of the view. */
const maxLabelLength = 200;

/**
 * Creates the row of a task: its label is the prompt, its icon shows the state, and its description the time and
 * the state.
 */
export function createTaskItem(task: Task, context: TaskRowContext): vscode.TreeItem {
  const label = shortenPrompt(task.prompt, maxLabelLength) || nameUntitled(task);
  const description = createDescription(task, context);
  const appearance = chooseAppearance(task, context.isInFlight);
  return createTreeItem({
    id: `task/${task.key}`,
    label,
    icon: chooseIcon(appearance),
    color: colors[appearance],
    description,
    tooltip: createTooltip(task, context),
    context: [
      'task',
      ...listActions(task, context.isInFlight),
      ...(mayBeConnectionProblem(task) ? ['check-connection'] : []),
    ].join(' '),
    command: { command: commandName('tasks.openPage'), title: vscode.l10n.t('Open') },
    spoken: joinFacts([describeStatus(task, context.isInFlight), label, description]),
  });
}

/** Whether the connection to the gateway may be the cause of the failure. */
function mayBeConnectionProblem({ problem }: Task): boolean {
  return problem !== undefined && findCatalogueEntry(problem)?.steps.includes('check-connection') === true;
}

/** Creates the row of a task that is not in the ledger. */
export function createRemoteItem(task: RemoteTask): vscode.TreeItem {
  const label = shortenPrompt(readRecordPrompt(task), maxLabelLength) || task.id;
  const facts = [
    task.createdAt ? formatShortTime(task.createdAt.getTime()) : '',
    isQueued(task) ? vscode.l10n.t('queued') : '',
    vscode.l10n.t('created elsewhere'),
    readRecordModel(task),
  ];
  const description = facts.filter(Boolean).join(' · ');
  return createTreeItem({
    id: `remote/${task.id}`,
    label,
    icon: chooseRemoteIcon(task),
    color: 'disabledForeground',
    description,
    tooltip: createRemoteTooltip(task),
    spoken: joinFacts([nameGroup(findRemoteGroup(task)), label, description]),
    context: 'remoteTask',
    command: { command: commandName('tasks.openPage'), title: vscode.l10n.t('Add to This List') },
  });
}

function createRemoteTooltip(task: RemoteTask): string {
  const lines = [
    quoteStatus(task),
    shortenPrompt(readRecordPrompt(task), 400),
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

/** Chooses an icon. It does not spin for a running task, because this window does not poll the task. */
function chooseRemoteIcon({ status, failedAs }: RemoteTask): string {
  if (status === 'running') return 'cloud';
  return chooseIcon(failedAs === 'cancelled' ? 'cancelled' : status);
}

function createDescription(task: Task, context: TaskRowContext): string {
  const facts = [
    ...listTimeAndState(task, context),
    task.deletedAt === undefined ? '' : describeDeleted().toLowerCase(),
    shortenPrompt(task.model ?? task.taskId ?? ''),
  ];
  return facts.filter(Boolean).join(' · ');
}

/** Lists the time and the state. The time is short and comes first, so that it is visible in a narrow side bar. */
function listTimeAndState(task: Task, context: TaskRowContext): readonly string[] {
  const since = task.submittedAt ?? task.intendedAt;
  const isRunning = findTaskGroup(task, context.isInFlight) === 'running';
  const time = isRunning ? formatClockTime(Date.now() - since) : formatShortTime(since);
  return [time, ...describeState(task, context)];
}

/** Describes the state in a few words, without the words of the group's heading. */
function describeState(task: Task, { isInFlight, progress }: TaskRowContext): readonly string[] {
  const status = describeStatus(task, isInFlight).toLowerCase();
  switch (findTaskGroup(task, isInFlight)) {
    case 'running':
      return [isInFlight || isQueued(task) ? status : formatShortProgress(progress)];
    case 'completed':
      return describeResults(task);
    case 'attention':
      return task.status === 'completed' ? describeResults(task) : [status];
    case 'failed':
      return [describeReason(task) || status];
    case 'cancelled':
      return [];
    case 'unwatched':
      return [formatShortProgress(progress)];
  }
}

function describeResults({ results, resultKind, route }: Task): readonly string[] {
  if (results.length === 0) {
    if (resultKind === 'text') return [vscode.l10n.t('text')];
    return [route ? vscode.l10n.t('no result') : vscode.l10n.t('no file')];
  }
  const failed = results.find(({ state }) => state === 'failed');
  if (failed)
    return [
      vscode.l10n.t('not saved'),
      shortenPrompt(failed.problem ? describeStoredProblem(failed.problem) : ''),
    ];
  if (results.some(({ state }) => state === 'waiting' || state === 'downloading'))
    return [vscode.l10n.t('downloading')];
  const isSaved = results.some(({ state }) => state === 'saved');
  return [isSaved ? vscode.l10n.t('saved') : vscode.l10n.t('a link')];
}

function describeReason({ status, problem }: Task): string {
  const reason = shortenPrompt(problem ? describeProblemBriefly(problem) : '');
  return status === 'refused' && reason !== '' ? vscode.l10n.t('refused: {0}', reason) : reason;
}

function createTooltip(task: Task, context: TaskRowContext): string {
  const duration = task.endedAt && formatClockTime(task.endedAt - (task.submittedAt ?? task.intendedAt));
  const lines = [
    [describeStatus(task, context.isInFlight), quoteStatus(task)].filter(Boolean).join('. '),
    formatProgress(context.progress),
    shortenPrompt(task.prompt, 400),
    createTaskNotice(task, context.isInFlight)?.detail,
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
