import * as vscode from 'vscode';
import type { TaskAppearance, TimelineEntry } from '../../../protocol/taskPage.ts';
import type { StatusChange, Task, TaskStatus } from '../../../tasks/record/task.ts';
import { isQueued } from '../../../tasks/runProgress.ts';
import { deletedWords, gatewaySays } from './taskWords.ts';

/**
 * The timeline of a task in our own words, one entry for each state, however many words the gateway has for it.
 * Leaves out the status `intent` unless it is the only one.
 *
 * @param appearance that of the task, in which its completion appears
 */
export function timelineOf(
  task: Task,
  changes: readonly StatusChange[],
  appearance: TaskAppearance,
): readonly TimelineEntry[] {
  const told = changes.length > 1 ? changes.filter(({ status }) => status !== 'intent') : changes;
  const states: State[] = [];
  for (const change of told) {
    const { rawStatus } = change;
    const state = stateOf(task, change, appearance);
    const last = states.at(-1);
    if (last && isFirstAnswer(task, last, states.length) && state.appearance === 'queued')
      states.splice(-1, 1, { ...state, at: last.at, words: [...last.words, ...state.words] });
    else if (last?.label !== state.label) states.push(state);
    else if (rawStatus !== undefined && !last.words.includes(rawStatus)) last.words.push(rawStatus);
  }
  if (task.deletedAt !== undefined)
    states.push({ at: task.deletedAt, label: deletedWords(), appearance: 'cancelled', words: [] });
  return states.map(({ at, label, appearance, words }) => ({
    at,
    label,
    appearance,
    ...(words.length > 0 && { providersWords: gatewaySays(words) }),
  }));
}

interface State extends Omit<TimelineEntry, 'providersWords'> {
  /** The gateway's words for it. */
  readonly words: string[];
}

function stateOf(task: Task, { at, status, rawStatus }: StatusChange, appearance: TaskAppearance): State {
  const words = rawStatus === undefined ? [] : [rawStatus];
  const isWaiting = isQueued({ ...task, status, rawStatus });
  if (isWaiting) return { at, label: vscode.l10n.t('Queued'), appearance: 'queued', words };
  if (status === 'failed' && task.failedAs === 'cancelled')
    return { at: endOf(task, at), label: vscode.l10n.t('Cancelled'), appearance: 'cancelled', words };
  if (status === 'completed') return { at: endOf(task, at), label: statusName(status), appearance, words };
  if (status === 'failed')
    return { at: endOf(task, at), label: statusName(status), appearance: 'failed', words };
  return { at, label: statusName(status), appearance: appearanceOfStatus(status), words };
}

/** An interaction has no word for a task that waits: the first answer calls each of them in progress. */
function isFirstAnswer({ route }: Task, { label }: State, known: number): boolean {
  return route === 'interactions' && known === 2 && label === statusName('running');
}

/** The gateway tells when a task ended; a poll finds out later. The header of the page counts to the same moment. */
function endOf({ endedAt }: Task, polledAt: number): number {
  return endedAt === undefined ? polledAt : Math.min(endedAt, polledAt);
}

function statusName(status: TaskStatus): string {
  const names: Readonly<Record<TaskStatus, string>> = {
    intent: vscode.l10n.t('Saved before it was sent'),
    submitting: vscode.l10n.t('Submitted'),
    unknown: vscode.l10n.t('Unknown outcome'),
    refused: vscode.l10n.t('Refused'),
    running: vscode.l10n.t('Running'),
    completed: vscode.l10n.t('Completed'),
    failed: vscode.l10n.t('Failed'),
    missing: vscode.l10n.t('Missing'),
  };
  return names[status];
}

function appearanceOfStatus(status: TaskStatus): TaskAppearance {
  if (status === 'unknown') return 'attention';
  return status === 'failed' || status === 'refused' || status === 'missing' ? 'failed' : 'running';
}
