import * as vscode from 'vscode';
import type { StorageNotice } from '../../storage/followHealth.ts';
import { showStorageNotice } from '../kit/display/storageNotice.ts';

/** Shows that the file of chats cannot be written, or had to be repaired. */
export async function showStoreNotice(notice: StorageNotice): Promise<void> {
  await showStorageNotice(notice, {
    file: vscode.l10n.t('chat file'),
    readOnly: vscode.l10n.t('Chats are shown, but changes are not saved.'),
    rows: vscode.l10n.t('chats'),
  });
}
