import * as vscode from 'vscode';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { forgottenRow } from '../../kit/forgottenRow.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { viewId } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import { deleteMessage } from '../commands/deleting.ts';
import { activeChat } from '../tab/activeChat.ts';
import type { OutlineNode } from './outlineRows.ts';

/** Shows the outline of the chat that was active last, with the focus. */
async function showOutline(services: ChatServices): Promise<void> {
  const chat = await activeChat(services);
  if (!chat) return;
  if (chat.session.conversation.isEmpty) {
    return showStatusMessage(vscode.l10n.t('The outline appears after the first question.'));
  }
  await vscode.commands.executeCommand(`${viewId('outline')}.focus`);
}

/** Shows a message on its branch. */
async function show({ outlineView }: ChatServices, row?: unknown): Promise<void> {
  const id = idOf(row) ?? idOf(await outlineView.selection.clicked());
  const { chat } = outlineView;
  if (id === undefined || !chat || chat.showMessage(id)) return;
  showStatusMessage(vscode.l10n.t('A reply is still arriving. Stop it first.'));
}

async function deleteRow({ outlineView }: ChatServices, row?: unknown): Promise<void> {
  // The row that was meant is not there any more.
  if (row === forgottenRow) return;
  const id = idOf(row) ?? idOf((await outlineView.selection.focused())[0]);
  const { chat } = outlineView;
  if (id !== undefined && chat) deleteMessage(chat.session, id);
}

function idOf(row: unknown): string | undefined {
  const isRow = typeof row === 'object' && row !== null && 'kind' in row && row.kind === 'message';
  return isRow ? (row as OutlineNode).id : undefined;
}

/** The commands of the outline, by their ids. */
export const outlineCommands = {
  'chat.showOutline': showOutline,
  'outline.show': show,
  'outline.delete': deleteRow,
} satisfies CommandTable<ChatServices>;
