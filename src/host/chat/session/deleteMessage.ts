import * as vscode from 'vscode';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { notify } from '../../kit/display/notify.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { ChatSession } from './chatSession.ts';

/** Deletes a message and everything below it. While a reply arrives, shows a message instead. */
export function deleteMessage(session: ChatSession, messageId: string): void {
  if (session.delete(messageId)) return;
  showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
}

/** Restores the last deleted messages of a chat, or shows the user why this is not possible. */
export async function undoDelete(session: ChatSession): Promise<void> {
  if (session.isStreaming) {
    return showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
  }
  try {
    if (await session.undoDelete()) return;
    showStatusMessage(vscode.l10n.t('Nothing was deleted from this chat in the last 30 days.'));
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    void notify('error', vscode.l10n.t('The deleted messages could not be restored: {0}', error.message));
  }
}
