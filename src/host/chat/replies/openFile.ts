import * as vscode from 'vscode';
import { openInEditor } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { findWorkspaceFile } from './workspaceFiles.ts';

/** Opens the file of the workspace that a reply names, as a preview beside the chat, with its lines selected. */
export async function openFile(reference: string): Promise<void> {
  const found = await findWorkspaceFile(reference);
  if (!found) {
    await notify('info', missing(reference));
    return;
  }
  const { uri, selection } = found;
  await openInEditor(uri, {
    preview: true,
    viewColumn: besideChat(),
    ...(selection && { selection }),
  });
}

function missing(reference: string): string {
  if (!vscode.workspace.workspaceFolders?.length)
    return vscode.l10n.t('“{0}” cannot be opened, because no folder is open.', reference);
  return vscode.l10n.t('There is no file “{0}” in this workspace.', reference);
}

/** The group of an editor that can be seen already, so that the chat stays where it is. */
export function besideChat(): vscode.ViewColumn {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return (
    (activeTextEditor ?? visibleTextEditors.find(({ viewColumn }) => viewColumn !== undefined))?.viewColumn ??
    vscode.ViewColumn.Beside
  );
}
