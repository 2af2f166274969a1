import * as vscode from 'vscode';

/** The text editor that was used last, also while a page has the focus or covers it. */
export class LastEditor {
  #now = vscode.window.activeTextEditor;
  #writable = isWritable(this.#now) ? this.#now : undefined;
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (!editor || editor.document.uri.scheme === 'output') return;
    this.#now = editor;
    if (isWritable(editor)) this.#writable = editor;
  });

  /** Undefined once its document is closed. */
  get now(): vscode.TextEditor | undefined {
    return open(this.#now);
  }

  /** The last one of a document that can be edited and saved; undefined once that is closed. */
  get writable(): vscode.TextEditor | undefined {
    return open(this.#writable);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

function open(editor: vscode.TextEditor | undefined): vscode.TextEditor | undefined {
  return editor?.document.isClosed ? undefined : editor;
}

function isWritable(editor: vscode.TextEditor | undefined): boolean {
  const scheme = editor?.document.uri.scheme ?? '';
  return scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
}
