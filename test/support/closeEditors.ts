import * as vscode from 'vscode';

/** Closes all editors and pages without asking the user, also those with changes, which are lost. */
export async function closeEditors(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter(hasChanges)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  // Editors whose changes the window had not reported yet stay open.
  while (vscode.window.tabGroups.all.some(({ tabs }) => tabs.length > 0)) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/** Whether the user would be asked about changes. VS Code changes and saves its own files by itself. */
function hasChanges({ isDirty, uri }: vscode.TextDocument): boolean {
  return isDirty && !/\/User\/[^/]+\.json$/.test(uri.path);
}
