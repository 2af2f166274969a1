import * as vscode from 'vscode';

/** The text editor that was used last, also while a page has the focus or covers it. */
export class LastTextEditor {
  #editor = vscode.window.activeTextEditor;
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor && editor.document.uri.scheme !== 'output') this.#editor = editor;
  });

  /** Undefined once its document is closed. */
  get now(): vscode.TextEditor | undefined {
    return this.#editor?.document.isClosed ? undefined : this.#editor;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
