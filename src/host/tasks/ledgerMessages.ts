import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import type { Salvaged, WriteProblem } from '../../storage/database.ts';
import type { LedgerNotice } from '../../tasks/ledgerNotice.ts';
import { notify } from '../display/notify.ts';

/** Shows that the ledger cannot be written, or had to be repaired. */
export async function showLedgerNotice(notice: LedgerNotice): Promise<void> {
  switch (notice.type) {
    case 'unwritten':
      return showUnwritten(notice.taskId);
    case 'not-written':
      return showNotWritten(notice.error);
    case 'not-sent':
      return void notify('error', nothingSent(notice.error).message);
    case 'read-only':
      return showReadOnly(notice.why, notice.file);
    case 'set-aside':
      return showSetAside(notice.file, notice.salvaged);
  }
}

/** Shows the id of a task that could not be stored yet, because it must not be lost. */
async function showUnwritten(taskId: string): Promise<void> {
  const copy = vscode.l10n.t('Copy Task ID');
  const text = vscode.l10n.t(
    'Task {0} was created but could not be saved here yet; that is tried again. Copy its ID.',
    taskId,
  );
  if ((await notify('error', text, copy)) === copy) await vscode.env.clipboard.writeText(taskId);
}

function showNotWritten(error: unknown): void {
  const text = vscode.l10n.t(
    'The state of a task could not be saved, and is tried again. {0}',
    String(error),
  );
  void notify('error', text);
}

/** Shows why the ledger is read-only. */
function showReadOnly(why: 'newer' | WriteProblem, file: string): void {
  void notify(
    'warning',
    vscode.l10n.t('{0} Tasks are shown, but none can be started or watched.', reason(why, file)),
  );
}

function reason(why: 'newer' | WriteProblem, file: string): string {
  switch (why) {
    case 'newer':
      return vscode.l10n.t(
        'The task file was written by a newer version of Model Gateway; update the extension.',
      );
    case 'full':
      return vscode.l10n.t(
        'The disk with the task file is full; saving goes on once there is room ({0}).',
        file,
      );
    case 'over-quota':
      return vscode.l10n.t(
        'Your quota on the disk with the task file is used up; saving goes on once there is room ({0}).',
        file,
      );
    case 'read-only-disk':
      return vscode.l10n.t('The disk with the task file is read-only ({0}).', file);
    case 'unwritable':
      return vscode.l10n.t('The task file cannot be written; check the permissions of {0}.', file);
    case 'disk-error':
      return vscode.l10n.t(
        'The disk with the task file reports an error ({0}); save what matters to you.',
        file,
      );
  }
}

/** @param file where the damaged file is now */
async function showSetAside(file: string, salvaged: Salvaged | undefined): Promise<void> {
  const reveal = vscode.l10n.t('Reveal File');
  const text = vscode.l10n.t(
    'The task file was damaged. It was set aside, and a new one was started: {0}',
    saved(salvaged),
  );
  if ((await notify('warning', text, reveal)) !== reveal) return;
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(file));
}

function saved(salvaged: Salvaged | undefined): string {
  const { kept = 0, lost = 0 } = salvaged ?? {};
  if (kept === 0 && lost === 0) return vscode.l10n.t('nothing could be recovered.');
  if (lost === 0) return vscode.l10n.t('tasks recovered: {0}, lost: none known.', kept);
  return vscode.l10n.t('tasks recovered: {0}, lost: {1}.', kept, lost);
}

/**
 * The error of a request that was not sent because it could not be stored first. Otherwise the user would pay
 * for a task that nobody knows.
 */
export function nothingSent(error: unknown): Error {
  const why = errorMessage(error);
  const text = vscode.l10n.t('Nothing was sent, because the request could not be saved first. {0}', why);
  return new Error(text, { cause: error });
}
