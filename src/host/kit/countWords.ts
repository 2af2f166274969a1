import * as vscode from 'vscode';
import { joinNames } from './display/joinNames.ts';

// Display texts for counts, such as "1 model" and "12 models".

export function formatModelCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', formatCount(count));
}

export function formatRunningTasks(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 task is running')
    : vscode.l10n.t('{0} tasks are running', formatCount(count));
}

/** Formats the number of tasks that the local gateway is working on. */
export function formatTasksInProgress(count: number): string {
  return count === 1
    ? vscode.l10n.t('It is processing 1 task')
    : vscode.l10n.t('It is processing {0} tasks', formatCount(count));
}

/** Formats the number of requests whose replies a restart of the local gateway would cut off. */
export function formatRequestsInProgress(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 request is in progress. Its reply will be cut off.')
    : vscode.l10n.t('{0} requests are in progress. Their replies will be cut off.', formatCount(count));
}

export function formatTaskCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 task') : vscode.l10n.t('{0} tasks', formatCount(count));
}

export function formatChatCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 chat') : vscode.l10n.t('{0} chats', formatCount(count));
}

export function formatVideoCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 video') : vscode.l10n.t('{0} videos', formatCount(count));
}

/** Formats the number of saved files that remain on the disk when tasks are removed from the list. */
export function formatRemainingFiles(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 saved file stays unless you also delete it.')
    : vscode.l10n.t('{0} saved files stay unless you also delete them.', formatCount(count));
}

/** Lists the first different names, each with its number of occurrences, and the number of further names. */
export function formatFirstNames(names: readonly string[]): string {
  const first = [...Map.groupBy(names, (name) => name)].slice(0, maxNames);
  const others = first.reduce((rest, [, same]) => rest - same.length, names.length);
  const list = joinNames(
    first.map(([name, { length }]) => `“${name}”${length === 1 ? '' : ` (${formatCount(length)})`}`),
  );
  return others === 0 ? list : vscode.l10n.t('{0} and {1} more', list, formatCount(others));
}

const maxNames = 5;

/** Formats the number of occurrences of each word, such as "3 cancelled, 1 running". */
export function tally(words: readonly string[]): string {
  const groups = Map.groupBy(words, (word) => word);
  return joinNames([...groups].map(([word, { length }]) => `${formatCount(length)} ${word}`));
}

export function formatCount(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
