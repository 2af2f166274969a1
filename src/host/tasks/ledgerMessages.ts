import * as vscode from 'vscode';
import { notify } from '../display/notify.ts';

// What the user is told when tasks cannot be written down as they should be.

/** The id is the one thing that must not be lost, so it is shown while it is only in memory. */
export async function tellUnwritten(taskId: string): Promise<void> {
  const copy = vscode.l10n.t('Copy task id');
  const text = vscode.l10n.t(
    'The task {0} was made, but could not be written down yet; that is tried again. Note the id.',
    taskId,
  );
  if ((await notify('error', text, copy)) === copy) await vscode.env.clipboard.writeText(taskId);
}

export function tellNotWritten(error: unknown): void {
  const text = vscode.l10n.t(
    'What became of a task could not be written down, and is tried again. {0}',
    String(error),
  );
  void notify('error', text);
}

/** @param why a newer version wrote the file, or it is closed to us */
export function tellReadOnly(why: 'newer' | 'unwritable', file: string): void {
  const text =
    why === 'newer'
      ? vscode.l10n.t(
          'The file of tasks was written by a newer version of Model Gateway. Tasks are shown, but none is made or watched; update the extension.',
        )
      : vscode.l10n.t(
          'The file of tasks cannot be written. Tasks are shown, but none is made or watched; check the permissions of {0}.',
          file,
        );
  void notify('warning', text);
}

/** @param file where the damaged file is now */
export async function tellSetAside(file: string): Promise<void> {
  const reveal = vscode.l10n.t('Reveal file');
  const text = vscode.l10n.t(
    'The file in which tasks are kept was damaged. It was set aside, and a new one was begun with what could be saved.',
  );
  if ((await notify('warning', text, reveal)) !== reveal) return;
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(file));
}

/** What cannot be written down is not sent: the user would pay for what nobody remembers. */
export function nothingSent(error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  const text = vscode.l10n.t('Nothing was sent: it cannot be written down first. {0}', why);
  return new Error(text, { cause: error });
}
