import * as vscode from 'vscode';
import type { LedgerNotice } from '../../../tasks/taskOptions.ts';
import { notify } from '../../kit/display/notify.ts';
import { errorText, showStorageNotice } from '../../kit/display/storageNotice.ts';

/** Notifies the user that the ledger cannot be written, or was repaired. */
export async function showLedgerNotice(notice: LedgerNotice): Promise<void> {
  switch (notice.type) {
    case 'id-unsaved':
      return showUnsavedId(notice.taskId);
    case 'not-written':
      return void notify(
        'error',
        vscode.l10n.t('Saving the state of a task failed and will be retried. {0}', errorText(notice.error)),
      );
    case 'not-sent':
      return void notify('error', createNotSentError(notice.error).message);
    case 'read-only':
    case 'set-aside':
      return showStorageNotice(notice, {
        file: vscode.l10n.t('task file'),
        readOnly: vscode.l10n.t('Tasks are shown, but cannot be started or watched.'),
        rows: vscode.l10n.t('tasks'),
      });
  }
}

/** Shows the id of a task that could not be stored yet, because it must not be lost. */
async function showUnsavedId(taskId: string): Promise<void> {
  const copy = vscode.l10n.t('Copy Task ID');
  const text = vscode.l10n.t(
    'Task {0} was created but could not be saved here yet; saving will be retried. Copy its ID.',
    taskId,
  );
  if ((await notify('error', text, copy)) === copy) await vscode.env.clipboard.writeText(taskId);
}

/**
 * Creates the error of a request that was not sent because it could not be stored first. If it were sent, the user
 * would pay for a task that is not stored.
 */
export function createNotSentError(error: unknown): Error {
  const reason = errorText(error);
  const text = vscode.l10n.t('Nothing was sent, because the request could not be saved first. {0}', reason);
  return new Error(text, { cause: error });
}
