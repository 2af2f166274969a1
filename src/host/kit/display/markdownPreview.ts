import * as vscode from 'vscode';
import { showDocument } from './editors.ts';
import { isInputOpen } from './quickInput.ts';

/** Stays with its file. VS Code's other preview switches to the next opened Markdown file. */
const preview = 'vscode.markdown.preview.editor';

/**
 * Shows a Markdown file rendered by VS Code, in its own tab; as text if VS Code's Markdown extension is disabled.
 */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  if (vscode.extensions.getExtension('vscode.markdown-language-features')) {
    const options = { preview: false, preserveFocus: isInputOpen() };
    await vscode.commands.executeCommand('vscode.openWith', uri, preview, options);
    return;
  }
  await showDocument(uri, { preview: false });
}
