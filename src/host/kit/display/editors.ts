import * as vscode from 'vscode';
import { isInputOpen } from './quickInput.ts';

// Only these functions open editors. While one of our text boxes is open, an editor opens without taking the focus.

/** Opens a document in an editor. */
export async function showDocument(
  document: vscode.TextDocument | vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  const opened =
    document instanceof vscode.Uri ? await vscode.workspace.openTextDocument(document) : document;
  return vscode.window.showTextDocument(opened, { ...options, preserveFocus: isInputOpen() });
}

/** Opens a file in VS Code's default editor for the file. */
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
  const showOptions = { ...options, preserveFocus: isInputOpen() };
  await vscode.commands.executeCommand('vscode.diff', left, right, title, showOptions);
}

/** VS Code's Markdown preview that always shows the same file. The other preview follows the active editor. */
const markdownPreview = 'vscode.markdown.preview.editor';

/**
 * Shows a Markdown file rendered by VS Code, in its own tab. Shows the text if VS Code's Markdown support is disabled.
 */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  if (vscode.extensions.getExtension('vscode.markdown-language-features')) {
    const options = { preview: false, preserveFocus: isInputOpen() };
    await vscode.commands.executeCommand('vscode.openWith', uri, markdownPreview, options);
    return;
  }
  await showDocument(uri, { preview: false });
}

/** Whether a file exists, on any file system of VS Code. */
export async function fileExists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
