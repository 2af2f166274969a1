import * as vscode from 'vscode';

/** A dialog as it stood before the user. */
export interface ShownDialog {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/**
 * Answers every dialog and every list of choices with the button or the entry of that name while `act` runs, as a
 * user would; undefined closes them. Returns what was shown.
 */
export async function answerDialogs(
  answer: string | undefined,
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownDialog[]> {
  const seen: ShownDialog[] = [];
  const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
  const { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick } = vscode.window;
  const dialog = async (message: string, ...rest: readonly (string | vscode.MessageOptions)[]) => {
    const [options] = rest.filter((each) => typeof each !== 'string');
    const buttons = rest.filter((each) => typeof each === 'string');
    seen.push({ message, detail: options?.detail ?? '', buttons });
    return buttons.find((button) => button === answer);
  };
  Object.assign(window, {
    showWarningMessage: dialog,
    showInformationMessage: dialog,
    showErrorMessage: dialog,
    showQuickPick: async (items: PromiseLike<readonly vscode.QuickPickItem[]>) =>
      (await items).find(({ label }) => label === answer),
  });
  try {
    await act();
  } finally {
    Object.assign(window, { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick });
  }
  return seen;
}
