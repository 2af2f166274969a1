import * as vscode from 'vscode';
import { showDocument } from './editors.ts';
import { isInputOpen } from './prompts.ts';

/** Stays with its file. VS Code's other preview turns to whichever Markdown file is opened next. */
const preview = 'vscode.markdown.preview.editor';

/** Shows a Markdown file as VS Code renders it, in a tab of its own; as text where VS Code's part for it is off. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  if (vscode.extensions.getExtension('vscode.markdown-language-features')) {
    const options = { preview: false, preserveFocus: isInputOpen() };
    await vscode.commands.executeCommand('vscode.openWith', uri, preview, options);
    return;
  }
  await showDocument(uri, { preview: false });
}
