import * as vscode from 'vscode';
import { isObject } from '../../../base/json.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { type CommandTable, missingRow } from '../../kit/manifest/command.ts';
import { viewId } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import { deleteMessage } from '../session/deleteMessage.ts';
import { resolveActiveChat } from './resolveChats.ts';

/** Shows and focuses the outline of the last active chat. */
async function showOutline(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (!chat) return;
  if (chat.session.conversation.isEmpty) {
    return showStatusMessage(vscode.l10n.t('The outline appears after the first question.'));
  }
  await vscode.commands.executeCommand(`${viewId('outline')}.focus`);
}

/** Shows the message of a row in the chat, on its own branch. */
async function showMessage({ outlineView }: ChatServices, row?: unknown): Promise<void> {
  const id = readMessageId(row) ?? readMessageId(await outlineView.selection.waitForClickedRow());
  const { chat } = outlineView;
  if (id === undefined || !chat || chat.showMessage(id)) return;
  showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
}

async function deleteRow({ outlineView }: ChatServices, row?: unknown): Promise<void> {
  // VS Code no longer knows the row. The focused row is another row, which must not be deleted.
  if (row === missingRow) return;
  const id = readMessageId(row) ?? readMessageId((await outlineView.selection.findFocusedRows())[0]);
  const { chat } = outlineView;
  if (id !== undefined && chat) deleteMessage(chat.session, id);
}

function readMessageId(row: unknown): string | undefined {
  return isObject(row) && row.kind === 'message' && typeof row.id === 'string' ? row.id : undefined;
}

/** The commands of the outline by their ids. */
export const outlineCommands = {
  'chat.showOutline': showOutline,
  'outline.show': showMessage,
  'outline.delete': deleteRow,
} satisfies CommandTable<ChatServices>;
