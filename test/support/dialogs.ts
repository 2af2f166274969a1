import * as vscode from 'vscode';
import { createTestInput } from './inputSteps.ts';

/** A dialog as the user saw it. */
export interface ShownDialog {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** A notification about ended tasks. Videos of an earlier test may end at any time, one or several. */
const endOfTask = /^(?:Completed|Failed|Cancelled): |^\d+ (?:videos|tasks)(?: completed|:)/;

/**
 * Responds to every dialog and every quick pick with the button or the item of that name while `act` runs, as a
 * user would; undefined closes them. For a quick pick with several choices, the response names the items,
 * separated by commas. Returns the dialogs that were shown.
 */
export function answerDialogs(
  answer: string | undefined,
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownDialog[]> {
  return answerWith(() => answer, act);
}

/** Like `answerDialogs`, with one response for each dialog and quick pick, in order; further ones are closed. */
export function answerDialogsInTurn(
  answers: readonly string[],
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownDialog[]> {
  const remaining = [...answers];
  return answerWith(() => remaining.shift(), act);
}

async function answerWith(
  nextAnswer: () => string | undefined,
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownDialog[]> {
  const seen: ShownDialog[] = [];
  const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
  const { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick } = vscode.window;
  const dialog = async (message: string, ...rest: readonly (string | vscode.MessageOptions)[]) => {
    const [options] = rest.filter((each) => typeof each !== 'string');
    const buttons = rest.filter((each) => typeof each === 'string');
    if (endOfTask.test(message)) return undefined;
    seen.push({ message, detail: options?.detail ?? '', buttons });
    const answer = nextAnswer();
    return buttons.find((button) => button === answer);
  };
  Object.assign(window, {
    showWarningMessage: dialog,
    showInformationMessage: dialog,
    showErrorMessage: dialog,
    showQuickPick: async (
      items: PromiseLike<readonly vscode.QuickPickItem[]>,
      { canPickMany = false }: vscode.QuickPickOptions = {},
    ) => {
      const answer = nextAnswer();
      const all = await items;
      if (!canPickMany) return all.find(({ label }) => label === answer);
      return answer === undefined ? undefined : all.filter(({ label }) => answer.split(', ').includes(label));
    },
  });
  try {
    await act();
  } finally {
    Object.assign(window, { showWarningMessage, showInformationMessage, showErrorMessage, showQuickPick });
  }
  return seen;
}

/** The title of an input box, its initial text, and its validation message for the typed text. */
export interface ShownBox {
  readonly title: string;
  readonly value: string;
  readonly problem: string | undefined;
}

/**
 * Types `texts` into the input boxes that open while `act` runs, one after another; further boxes are closed. A
 * text that a box rejects closes it.
 */
export async function typeIntoInputs(
  texts: readonly string[],
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownBox[]> {
  const seen: ShownBox[] = [];
  const remaining = [...texts];
  const { showInputBox, createInputBox } = vscode.window;
  const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
  window.createInputBox = () => createTestInput(remaining, seen);
  window.showInputBox = async ({ title = '', value = '', validateInput }: vscode.InputBoxOptions) => {
    const text = remaining.shift();
    const problem = text === undefined ? undefined : await validateInput?.(text);
    seen.push({ title, value, problem: typeof problem === 'string' ? problem : undefined });
    return problem ? undefined : text;
  };
  try {
    await act();
  } finally {
    Object.assign(window, { showInputBox, createInputBox });
  }
  return seen;
}
