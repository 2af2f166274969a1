import * as vscode from 'vscode';
import type { TaskAppearance } from '../../protocol/taskPage.ts';
import { groupOf, type Task, type TaskGroup } from '../../tasks/task.ts';
import { plainLine } from '../display/plainText.ts';

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
    case 'unwatched':
      return vscode.l10n.t('No longer watched');
  }
}

/** The state of a task in a few words. Uses the gateway's raw status where it says more. */
export function statusOf(task: Task, inFlight: boolean): string {
  switch (task.status) {
    case 'intent':
      return inFlight ? vscode.l10n.t('Preparing') : vscode.l10n.t('Never sent');
    case 'submitting':
      return inFlight ? vscode.l10n.t('Submitting') : vscode.l10n.t('Unknown outcome');
    case 'unknown':
      return vscode.l10n.t('Unknown outcome');
    case 'refused':
      return vscode.l10n.t('Not made');
    case 'running':
      return runningStatus(task);
    case 'completed':
      return completedStatus(task);
    case 'failed':
      return failedStatus(task);
    case 'missing':
      return vscode.l10n.t('Gone at the gateway');
  }
}

/** The appearance of a task, which decides its icon and colour. */
export function appearanceOf(task: Task, inFlight: boolean): TaskAppearance {
  return task.failedAs === 'cancelled' ? 'cancelled' : groupOf(task, inFlight);
}

/** The icon of an appearance, by its codicon name. */
export function appearanceIcon(appearance: TaskAppearance): string {
  const icons: Readonly<Record<TaskAppearance, string>> = {
    running: 'loading~spin',
    attention: 'warning',
    completed: 'pass',
    failed: 'error',
    cancelled: 'circle-slash',
    unwatched: 'debug-pause',
  };
  return icons[appearance];
}

/** The first line of a prompt, cut to `longest` UTF-16 units. */
export function shortPrompt(prompt: string, longest = 60): string {
  return plainLine(prompt, longest);
}

/** The name of a task within a sentence. */
export function taskName({ prompt, model, taskId }: Task): string {
  return shortPrompt(prompt, 40) || shortPrompt(model ?? taskId ?? '') || vscode.l10n.t('Unknown model');
}

/** The title of a task's tab. */
export function taskTitle({ prompt, model }: Task): string {
  return shortPrompt(prompt, 30) || model || vscode.l10n.t('Task');
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

function runningStatus({ watching, rawStatus }: Task): string {
  if (watching === 'timed-out' || watching === 'stopped') return vscode.l10n.t('No longer watched');
  return /queue|pending|wait|submitted|created|scheduled/i.test(rawStatus ?? '')
    ? vscode.l10n.t('Queued')
    : vscode.l10n.t('Running');
}

function completedStatus({ results }: Task): string {
  if (results.some(({ state }) => state === 'failed')) return vscode.l10n.t('Completed, result not saved');
  return vscode.l10n.t('Completed');
}

function failedStatus({ failedAs }: Task): string {
  if (failedAs === 'cancelled') return vscode.l10n.t('Cancelled');
  return failedAs === 'needs-attention' ? vscode.l10n.t('Needs input') : vscode.l10n.t('Failed');
}
