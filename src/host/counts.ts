import * as vscode from 'vscode';

// Counted things as people say them: "1 model", "12 models".

export function modelCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', written(count));
}

export function runningTasks(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 task is running')
    : vscode.l10n.t('{0} tasks are running', written(count));
}

function written(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
