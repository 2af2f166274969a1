import * as vscode from 'vscode';

/** Selects, and resolves when the window has the selections: until then it may send earlier ones. */
export async function selectAndWait(
  editor: vscode.TextEditor,
  ...selections: readonly vscode.Selection[]
): Promise<void> {
  const areEqual = (now: readonly vscode.Selection[]) =>
    now.length === selections.length && now.every((each, nth) => each.isEqual(selections[nth] ?? each));
  if (areEqual(editor.selections)) return;
  const selected = Promise.withResolvers<void>();
  const subscription = vscode.window.onDidChangeTextEditorSelection((change) => {
    if (change.textEditor === editor && areEqual(change.selections)) selected.resolve();
  });
  editor.selections = selections;
  await selected.promise;
  subscription.dispose();
}
