import * as vscode from 'vscode';
import { formatRoughDuration } from '../../../base/roughDuration.ts';
import { percentAt, type TaskProgress } from '../../../base/taskProgress.ts';
import type { TaskAppearance } from '../../../protocol/taskPage.ts';
import { groupOf, hasResult, type Task, type TaskGroup } from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';

/** The heading of a group of tasks. */
export function groupName(group: TaskGroup): string {
  switch (group) {
    case 'running':
      return vscode.l10n.t('Running');
    case 'attention':
      return vscode.l10n.t('Needs attention');
    case 'completed':
      return vscode.l10n.t('Completed');
    case 'failed':
      return vscode.l10n.t('Failed');
    case 'cancelled':
      return vscode.l10n.t('Cancelled');
    case 'unwatched':
      return vscode.l10n.t('No longer watched');
  }
}

/** The state of a task in a few words of ours, independent of the gateway's words. */
export function statusWords(task: Task, inFlight: boolean): string {
  switch (task.status) {
    case 'intent':
      return inFlight ? vscode.l10n.t('Preparing') : vscode.l10n.t('Never sent');
    case 'submitting':
      return inFlight ? vscode.l10n.t('Submitting') : vscode.l10n.t('Unknown outcome');
    case 'unknown':
      return vscode.l10n.t('Unknown outcome');
    case 'refused':
      return vscode.l10n.t('Refused');
    case 'running':
      return runningStatus(task);
    case 'completed':
      return completedStatus(task);
    case 'failed':
      return failedStatus(task);
    case 'missing':
      return task.deletedAt === undefined ? vscode.l10n.t('No longer at the gateway') : deletedWords();
  }
}

/** The mark of a task that was deleted at the gateway from here. */
export function deletedWords(): string {
  return vscode.l10n.t('Deleted at the gateway');
}

/** The appearance of a task, which decides its icon and colour. */
export function appearanceOf(task: Task, inFlight: boolean): TaskAppearance {
  const group = groupOf(task, inFlight);
  if (group === 'running') return isQueued(task) ? 'queued' : 'running';
  if (group !== 'completed') return group;
  if (!hasResult(task)) return 'empty';
  return isDownloading(task) ? 'downloading' : 'completed';
}

/** The gateway's own word for the state, as a sentence; empty until it reports one. */
export function reportedStatus({ rawStatus }: Pick<Task, 'rawStatus'>): string {
  return rawStatus === undefined ? '' : quoteGateway([rawStatus]);
}

/** Quotes words of the gateway for one state. */
export function quoteGateway(words: readonly string[]): string {
  const quoted = joinNames(words.map((word) => `“${plainLine(word, 60)}”`));
  return vscode.l10n.t('Reported by the gateway: {0}', quoted);
}

/** The icon of an appearance, by its codicon name. */
export function appearanceIconName(appearance: TaskAppearance): string {
  const icons: Readonly<Record<TaskAppearance, string>> = {
    queued: 'history',
    running: 'loading~spin',
    downloading: 'cloud-download',
    attention: 'warning',
    completed: 'pass',
    empty: 'circle-large-outline',
    failed: 'error',
    cancelled: 'circle-slash',
    unwatched: 'debug-pause',
  };
  return icons[appearance];
}

/** A prompt on one line, cut to `longest` UTF-16 units. */
export function shortPrompt(prompt: string, longest = 60): string {
  return plainLine(prompt, longest);
}

/** The name of a task without a prompt. */
export function untitled({ route }: Pick<Task, 'route'>): string {
  return route ? vscode.l10n.t('Untitled video') : vscode.l10n.t('Untitled task');
}

/** The name of a task within a sentence: the beginning of its prompt. */
export function taskName(task: Task, longest = 40): string {
  const model = shortPrompt(task.model ?? task.taskId ?? '', 40);
  return shortPrompt(task.prompt, longest) || [untitled(task), model && `(${model})`].join(' ').trim();
}

/** The title of a task's tab. */
export function taskTitle(task: Task): string {
  return taskName(task, 30);
}

/** Formats milliseconds as m:ss or h:mm:ss. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? [hours, ...parts].join(':') : parts.join(':').replace(/^0/, '');
}

/** Formats a number of bytes, such as "61 kB". */
export function byteCount(bytes: number): string {
  const [unit, size] = inUnits(bytes);
  const maximumFractionDigits = size < 10 ? 1 : 0;
  return new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit, maximumFractionDigits }).format(
    size,
  );
}

function inUnits(bytes: number): readonly [unit: string, size: number] {
  if (bytes >= 1e9) return ['gigabyte', bytes / 1e9];
  return bytes >= 1e6 ? ['megabyte', bytes / 1e6] : ['kilobyte', bytes / 1e3];
}

function runningStatus(task: Task): string {
  if (task.watching !== 'on') return vscode.l10n.t('No longer watched');
  return isQueued(task) ? vscode.l10n.t('Queued') : vscode.l10n.t('Running');
}

function completedStatus(task: Task): string {
  const { results } = task;
  if (!hasResult(task)) {
    return task.route
      ? vscode.l10n.t('Completed without a result')
      : vscode.l10n.t('Completed without a file');
  }
  if (results.some(({ state }) => state === 'failed')) return vscode.l10n.t('Completed, result not saved');
  return isDownloading(task) ? vscode.l10n.t('Completed, downloading') : vscode.l10n.t('Completed');
}

function isDownloading({ results }: Task): boolean {
  return results.some(({ state }) => state === 'waiting' || state === 'downloading');
}

function failedStatus({ failedAs }: Task): string {
  if (failedAs === 'cancelled') return vscode.l10n.t('Cancelled');
  return failedAs === 'needs-attention' ? vscode.l10n.t('Needs input') : vscode.l10n.t('Failed');
}

/** The progress of a task, short enough for a row, such as "60 %", "~60 %" or "longer than usual". */
export function shortProgress(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = percentAt(progress, Date.now());
  if (percent === undefined) return vscode.l10n.t('longer than usual');
  const figure = `${Math.floor(percent)} %`;
  if (progress.kind === 'estimated') return `~${figure}`;
  return progress.previousPercent === undefined
    ? figure
    : vscode.l10n.t('{0} (was {1} %)', figure, Math.floor(progress.previousPercent));
}

/** The same in a sentence that names the source of the figure. */
export function progressSentence(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = percentAt(progress, Date.now());
  if (progress.kind === 'reported')
    return vscode.l10n.t('Reported by the gateway: {0}.', shortProgress(progress));
  const usual = formatRoughDuration(progress.typicalMs);
  return percent === undefined
    ? vscode.l10n.t('It is taking longer than usual (about {0}).', usual)
    : vscode.l10n.t(
        'About {0} %, based on your earlier tasks with this model, which took about {1}.',
        Math.floor(percent),
        usual,
      );
}
