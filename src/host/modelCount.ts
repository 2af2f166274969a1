import * as vscode from 'vscode';

/** "1 model", "12 models". */
export function modelCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', count.toLocaleString());
}
