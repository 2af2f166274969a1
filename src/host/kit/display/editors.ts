import * as vscode from 'vscode';
import { isInputOpen } from './quickInput.ts';

// Editors are only opened here. An editor that opens while one of our text boxes is open does not take the focus.

/** Opens a document in an editor. */
export async function showDocument(
  document: vscode.TextDocument | vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  const opened =
    document instanceof vscode.Uri ? await vscode.workspace.openTextDocument(document) : document;
  return vscode.window.showTextDocument(opened, { ...options, preserveFocus: isInputOpen() });
}

/** Opens a file in the editor that VS Code has for it. */
export async function openInEditor(
  file: vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', file, { ...options, preserveFocus: isInputOpen() });
}

/** Compares two documents in the diff editor. */
export async function showDifferences(
  left: vscode.Uri,
  right: vscode.Uri,
  title: string,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  const shown = { ...options, preserveFocus: isInputOpen() };
  await vscode.commands.executeCommand('vscode.diff', left, right, title, shown);
}
