import * as vscode from 'vscode';

/** The last used text editor, even while a page has the focus or covers the editor. */
export class LastEditor {
  #current = vscode.window.activeTextEditor;
  #writable = isWritable(this.#current) ? this.#current : undefined;
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (!editor || editor.document.uri.scheme === 'output') return;
    this.#current = editor;
    if (isWritable(editor)) this.#writable = editor;
  });

  /** The last used editor; undefined after its document was closed. */
  get current(): vscode.TextEditor | undefined {
    return omitClosed(this.#current);
  }

  /** The last used editor of a writable document; undefined after that document was closed. */
  get writable(): vscode.TextEditor | undefined {
    return omitClosed(this.#writable);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

function omitClosed(editor: vscode.TextEditor | undefined): vscode.TextEditor | undefined {
  return editor?.document.isClosed ? undefined : editor;
}

function isWritable(editor: vscode.TextEditor | undefined): boolean {
  const scheme = editor?.document.uri.scheme ?? '';
  return scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}
