import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import type { Salvaged, WriteProblem } from '../../../storage/database.ts';
import type { StorageNotice } from '../../../storage/followHealth.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { notify } from './notify.ts';

/** Display texts for a kind of file. */
interface FileWords {
  /** The name of the file, such as "task file". */
  readonly file: string;
  /** A sentence about the limitation while the file is read-only. */
  readonly readOnly: string;
  /** The name of its rows, such as "tasks". */
  readonly rows: string;
}

/** Notifies the user that a file cannot be written, or had to be repaired. */
export async function showStorageNotice(notice: StorageNotice, words: FileWords): Promise<void> {
  if (notice.type === 'set-aside') return showSetAside(notice.file, notice.salvaged, words);
  const reason = describeStorageProblem(notice.reason, notice.file, words.file);
  void notify('warning', vscode.l10n.t('{0} {1}', reason, words.readOnly));
}

/** Returns the reason why a file cannot be written, with advice, as a sentence. */
export function describeStorageProblem(reason: 'newer' | WriteProblem, path: string, file: string): string {
  switch (reason) {
    case 'newer':
      return vscode.l10n.t(
        'The {0} was written by a newer version of Model Gateway; update the extension.',
        file,
      );
    case 'full':
      return vscode.l10n.t(
        'The disk with the {0} is full; saving resumes when there is space ({1}).',
        file,
        path,
      );
    case 'over-quota':
      return vscode.l10n.t(
        'Your quota on the disk with the {0} is used up; saving resumes when there is space ({1}).',
        file,
        path,
      );
    case 'read-only-disk':
      return vscode.l10n.t('The disk with the {0} is read-only ({1}).', file, path);
    case 'unwritable':
      return vscode.l10n.t('The {0} cannot be written; check the permissions of {1}.', file, path);
    case 'disk-error':
      return vscode.l10n.t('The disk with the {0} reports an error ({1}); back up your data.', file, path);
  }
}

/** Returns the reason why a file cannot be read or written, as a sentence. */
function describeStorageError({ kind, message }: StorageError): string {
  switch (kind) {
    case 'full':
      return vscode.l10n.t('The disk is full.');
    case 'read-only':
      return vscode.l10n.t('The file cannot be opened or written; check its permissions.');
    case 'busy':
      return vscode.l10n.t('The file is locked by another program.');
    case 'damaged':
      return vscode.l10n.t('The file is damaged.');
    case 'io':
      return vscode.l10n.t('The disk reports an error.');
    case 'other':
      return message;
  }
}

/** Returns the text of an error for the user: the reason of a storage error, otherwise its own message. */
export function errorText(thrown: unknown): string {
  return thrown instanceof StorageError ? describeStorageError(thrown) : errorMessage(thrown);
}

/** @param path the new path of the damaged file */
async function showSetAside(
  path: string,
  salvaged: Salvaged | undefined,
  { file, rows }: FileWords,
): Promise<void> {
  const reveal = vscode.l10n.t('Reveal File');
  const text = vscode.l10n.t(
    'The {0} was damaged. It was moved aside, and a new one was created: {1}',
    file,
    describeSalvage(salvaged, rows),
  );
  if ((await notify('warning', text, reveal)) !== reveal) return;
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
}

function describeSalvage(salvaged: Salvaged | undefined, rows: string): string {
  const { saved = 0, lost = 0, isComplete = false } = salvaged ?? {};
  if (saved === 0 && lost === 0) return vscode.l10n.t('nothing could be recovered.');
  if (lost === 0 && !isComplete)
    return vscode.l10n.t('{0} recovered: {1}. Parts of their content may be lost.', rows, saved);
  if (lost === 0) return vscode.l10n.t('{0} recovered: {1}, lost: none.', rows, saved);
  return vscode.l10n.t('{0} recovered: {1}, lost: {2}.', rows, saved, lost);
}
