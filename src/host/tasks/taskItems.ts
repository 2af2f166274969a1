import * as vscode from 'vscode';
import type { TaskAppearance } from '../../protocol/taskPage.ts';
import type { Task } from '../../tasks/task.ts';
import type { RemoteTask } from '../../tasks/taskList.ts';
import { commandName } from '../contributions.ts';
import { clipped } from '../display/plainText.ts';
import { treeItem } from '../display/rows.ts';
import { problemWords } from '../explanationWords.ts';
import { actionsFor } from './taskActions.ts';
import { noticeOf } from './taskNotice.ts';
import { progressOf } from './taskView.ts';
import { appearanceIcon, appearanceOf, clockTime, shortPrompt, statusOf } from './taskWords.ts';

export interface TaskRowContext {
  readonly inFlight: boolean;
  readonly typicalRunMs: number | undefined;
}

const colors: Readonly<Record<TaskAppearance, string | undefined>> = {
  running: undefined,
  attention: 'list.warningForeground',
  completed: 'testing.iconPassed',
  failed: 'list.errorForeground',
  cancelled: 'disabledForeground',
  unwatched: 'disabledForeground',
};

/** The row of a task: the icon shows its state, the label its model, the description state and prompt. */
export function taskItem(task: Task, context: TaskRowContext): vscode.TreeItem {
  const label = task.model ?? task.taskId ?? vscode.l10n.t('Unknown model');
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
  const appearance =
    task.status === 'running' ? 'unwatched' : task.failedAs === 'cancelled' ? 'cancelled' : task.status;
  return treeItem({
    id: `remote/${task.id}`,
    label: task.id,
    icon: appearanceIcon(appearance),
    color: 'disabledForeground',
    description: [clipped(task.rawStatus ?? '', maxWordLength), vscode.l10n.t('made elsewhere')]
      .filter(Boolean)
      .join(' · '),
    tooltip: vscode.l10n.t(
      'The gateway lists this task; it was made elsewhere, or removed from this list. Keep it here to watch it and to save its result.',
    ),
    context: 'remoteTask',
    command: { command: commandName('tasks.openSelected'), title: vscode.l10n.t('Keep Here') },
  });
}

const maxWordLength = 60;

/** Puts the state first, so that it is visible in a narrow side bar. */
function describe(task: Task, context: TaskRowContext): string {
  const prompt = shortPrompt(task.prompt);
  const ended = task.status === 'failed' || task.status === 'refused';
  const reason = ended && task.problem ? problemWords(task.problem) : '';
  const facts = [...standing(task, context), prompt && `“${prompt}”`, shortPrompt(reason)];
  return facts.filter(Boolean).join(' · ');
}

function standing(task: Task, context: TaskRowContext): readonly string[] {
  const status = statusOf(task, context.inFlight).toLowerCase();
  const since = task.submittedAt ?? task.intendedAt;
  switch (task.status) {
    case 'running': {
      const progress = progressOf(task, context.typicalRunMs);
      const percent = progress && `${progress.estimated ? '~' : ''}${Math.round(progress.percent)} %`;
      return [status, clockTime(Date.now() - since), percent ?? ''];
    }
    case 'completed':
      return [clockTime((task.endedAt ?? since) - since), savedWord(task)];
    case 'failed':
    case 'refused':
      return [status];
    default:
      return [status, new Date(since).toLocaleTimeString(vscode.env.language)];
  }
}

function savedWord({ results }: Task): string {
  if (results.length === 0) return vscode.l10n.t('no result');
  if (results.some(({ state }) => state === 'failed')) return vscode.l10n.t('not saved');
  if (results.some(({ state }) => state === 'waiting' || state === 'fetching')) {
    return vscode.l10n.t('downloading');
  }
  return results.some(({ state }) => state === 'saved') ? vscode.l10n.t('saved') : vscode.l10n.t('a link');
}

function tooltip(task: Task, context: TaskRowContext): string {
  const notice = noticeOf(task, context.inFlight);
  const progress = progressOf(task, context.typicalRunMs);
  const lines = [
    statusOf(task, context.inFlight),
    shortPrompt(task.prompt, 400),
    notice?.detail,
    progress?.estimated && vscode.l10n.t('The progress is an estimate by your own earlier tasks.'),
    task.taskId && vscode.l10n.t('Task ID: {0}', task.taskId),
    vscode.l10n.t(
      'Made {0} with {1}',
      new Date(task.intendedAt).toLocaleString(vscode.env.language),
      task.gatewayName,
    ),
  ];
  return lines.filter(Boolean).join('\n\n');
}
