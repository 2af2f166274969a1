import * as vscode from 'vscode';
import { computePercent, formatRoughDuration, type TaskProgress } from '../../../base/taskProgress.ts';
import type { TaskAppearance } from '../../../protocol/taskPage.ts';
import { findTaskGroup, hasResult, type Task, type TaskGroup } from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { plainLine } from '../../kit/display/plainText.ts';

/** Returns the heading of a group of tasks. */
export function nameGroup(group: TaskGroup): string {
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

/** Describes the state of a task in a few words, independent of the gateway's words. */
export function describeStatus(task: Task, isInFlight: boolean): string {
  switch (task.status) {
    case 'intent':
      return isInFlight ? vscode.l10n.t('Preparing') : vscode.l10n.t('Never sent');
    case 'submitting':
      return isInFlight ? vscode.l10n.t('Submitting') : vscode.l10n.t('Unknown outcome');
    case 'unknown':
      return vscode.l10n.t('Unknown outcome');
    case 'refused':
      return vscode.l10n.t('Refused');
    case 'running':
      return describeRunning(task);
    case 'completed':
      return describeCompleted(task);
    case 'failed':
      return describeFailed(task);
    case 'missing':
      return task.deletedAt === undefined ? vscode.l10n.t('No longer at the gateway') : describeDeleted();
  }
}

/** Describes a task that the user deleted at the gateway. */
export function describeDeleted(): string {
  return vscode.l10n.t('Deleted at the gateway');
}

/** Chooses the appearance of a task, which decides its icon and colour. */
export function chooseAppearance(task: Task, isInFlight: boolean): TaskAppearance {
  const group = findTaskGroup(task, isInFlight);
  if (group === 'running') return isQueued(task) ? 'queued' : 'running';
  if (group !== 'completed') return group;
  if (!hasResult(task)) return 'empty';
  return isDownloading(task) ? 'downloading' : 'completed';
}

/** Quotes the gateway's own word for the state, as a sentence; empty until the gateway reports a state. */
export function quoteStatus({ rawStatus }: Pick<Task, 'rawStatus'>): string {
  return rawStatus === undefined ? '' : quoteGateway([rawStatus]);
}

/** Quotes words of the gateway for one state. */
export function quoteGateway(words: readonly string[]): string {
  const quoted = joinNames(words.map((word) => `“${plainLine(word, 60)}”`));
  return vscode.l10n.t('Reported by the gateway: {0}', quoted);
}

/** Chooses the icon of an appearance, by its codicon name. */
export function chooseIcon(appearance: TaskAppearance): string {
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

/** Cuts a prompt to one line of at most `maxLength` UTF-16 units. */
export function shortenPrompt(prompt: string, maxLength = 60): string {
  return plainLine(prompt, maxLength);
}

/** Returns the name of a task without a prompt. */
export function nameUntitled({ route }: Pick<Task, 'route'>): string {
  return route ? vscode.l10n.t('Untitled video') : vscode.l10n.t('Untitled task');
}

/** Returns the name of a task within a sentence: the beginning of its prompt. */
export function nameTask(task: Task, maxLength = 40): string {
  const model = shortenPrompt(task.model ?? task.taskId ?? '', 40);
  return (
    shortenPrompt(task.prompt, maxLength) || [nameUntitled(task), model && `(${model})`].join(' ').trim()
  );
}

/** Returns the title of a task's tab. */
export function createTitle(task: Task): string {
  return nameTask(task, 30);
}

/** Formats milliseconds as m:ss or h:mm:ss. */
export function formatClockTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? [hours, ...parts].join(':') : parts.join(':').replace(/^0/, '');
}

/** Formats a number of bytes, such as "61 kB". */
export function formatBytes(bytes: number): string {
  const [unit, size] = chooseUnit(bytes);
  const maximumFractionDigits = size < 10 ? 1 : 0;
  return new Intl.NumberFormat(vscode.env.language, { style: 'unit', unit, maximumFractionDigits }).format(
    size,
  );
}

function chooseUnit(bytes: number): readonly [unit: string, size: number] {
  if (bytes >= 1e9) return ['gigabyte', bytes / 1e9];
  return bytes >= 1e6 ? ['megabyte', bytes / 1e6] : ['kilobyte', bytes / 1e3];
}

function describeRunning(task: Task): string {
  if (task.watching !== 'on') return vscode.l10n.t('No longer watched');
  return isQueued(task) ? vscode.l10n.t('Queued') : vscode.l10n.t('Running');
}

function describeCompleted(task: Task): string {
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

function describeFailed({ failedAs }: Task): string {
  if (failedAs === 'cancelled') return vscode.l10n.t('Cancelled');
  return failedAs === 'needs-attention' ? vscode.l10n.t('Needs input') : vscode.l10n.t('Failed');
}

/** Formats the progress of a task for a row, such as "60 %", "~60 %" or "longer than usual". */
export function formatShortProgress(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = computePercent(progress, Date.now());
  if (percent === undefined) return vscode.l10n.t('longer than usual');
  const figure = `${Math.floor(percent)} %`;
  if (progress.kind === 'estimated') return `~${figure}`;
  return progress.previousPercent === undefined
    ? figure
    : vscode.l10n.t('{0} (was {1} %)', figure, Math.floor(progress.previousPercent));
}

/** Formats the progress of a task in a sentence that names the source of the figure. */
export function formatProgress(progress: TaskProgress | undefined): string {
  if (progress === undefined) return '';
  const percent = computePercent(progress, Date.now());
  if (progress.kind === 'reported')
    return vscode.l10n.t('Reported by the gateway: {0}.', formatShortProgress(progress));
  const usual = formatRoughDuration(progress.typicalMs);
  return percent === undefined
    ? vscode.l10n.t('It is taking longer than usual (about {0}).', usual)
    : vscode.l10n.t(
        'About {0} %, based on your earlier tasks with this model, which took about {1}.',
        Math.floor(percent),
        usual,
      );
}
