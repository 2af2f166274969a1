import * as vscode from 'vscode';
import { listed } from './display/listed.ts';

// Counted things as people say them: "1 model", "12 models".

export function modelCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', written(count));
}

export function runningTasks(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 task is running')
    : vscode.l10n.t('{0} tasks are running', written(count));
}

/** Says how many tasks the local gateway is making. */
export function tasksInTheMaking(count: number): string {
  return count === 1
    ? vscode.l10n.t('It is making 1 task')
    : vscode.l10n.t('It is making {0} tasks', written(count));
}

/** Says how many replies a restart of the local gateway cuts off. */
export function requestsUnderWay(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 request is under way. Its reply is cut off.')
    : vscode.l10n.t('{0} requests are under way. Their replies are cut off.', written(count));
}

export function taskCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 task') : vscode.l10n.t('{0} tasks', written(count));
}

export function chatCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 chat') : vscode.l10n.t('{0} chats', written(count));
}

export function videoCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 video') : vscode.l10n.t('{0} videos', written(count));
}

/** Says how many saved files stay on the disk when tasks leave the list. */
export function filesThatStay(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 saved file stays unless you also delete it.')
    : vscode.l10n.t('{0} saved files stay unless you also delete them.', written(count));
}

/** Lists the first names, each with its number, and how many more there are. */
export function firstNames(names: readonly string[]): string {
  const first = [...Map.groupBy(names, (name) => name)].slice(0, maxNames);
  const others = first.reduce((rest, [, same]) => rest - same.length, names.length);
  const list = listed(
    first.map(([name, { length }]) => `“${name}”${length === 1 ? '' : ` (${written(length)})`}`),
  );
  return others === 0 ? list : vscode.l10n.t('{0} and {1} more', list, written(others));
}

const maxNames = 5;

/** Counts equal words, such as "3 cancelled, 1 running". */
export function tally(words: readonly string[]): string {
  const groups = Map.groupBy(words, (word) => word);
  return listed([...groups].map(([word, all]) => `${written(all.length)} ${word}`));
}

function written(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
