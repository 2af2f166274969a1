import * as vscode from 'vscode';

/** Stays with its file. VS Code's other preview turns to whichever Markdown file is opened next. */
const preview = 'vscode.markdown.preview.editor';

/** Shows a Markdown file as VS Code renders it, in a tab of its own; as text where VS Code's part for it is off. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  if (vscode.extensions.getExtension('vscode.markdown-language-features')) {
    await vscode.commands.executeCommand('vscode.openWith', uri, preview, { preview: false });
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
}
