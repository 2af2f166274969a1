import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { awaitInput, type Choice, type PickOptions, toQuickPickItem } from './quickInput.ts';

const maxTextLength = 600;

interface PickSeveralOptions<C extends Choice> extends PickOptions {
  readonly choices: readonly C[];
  /** Whether a choice is selected at first. */
  readonly isChosen: (choice: C) => boolean;
  /** Returns why this number of choices is invalid; undefined if it is valid. */
  readonly problem: (count: number) => string | undefined;
}

/**
 * Shows a list with multiple selection. It stays open while the number of selected choices is invalid, and shows
 * the reason in its title.
 *
 * @returns undefined if the user cancels
 */
export async function pickSeveral<C extends Choice>(
  options: PickSeveralOptions<C>,
): Promise<readonly C[] | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly choice: C }>();
  const toPlain = (text: string) => plainLine(text, maxTextLength);
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.title = toPlain(options.title);
  list.placeholder = toPlain(options.placeHolder ?? '');
  list.items = options.choices.map((choice) => ({ ...toQuickPickItem(choice), choice }));
  list.selectedItems = list.items.filter(({ choice }) => options.isChosen(choice));
  const { promise, resolve } = Promise.withResolvers<readonly C[] | undefined>();
  list.onDidAccept(() => {
    const problem = options.problem(list.selectedItems.length);
    if (problem !== undefined) list.title = toPlain(problem);
    else resolve(list.selectedItems.map(({ choice }) => choice));
  });
  list.onDidChangeSelection((chosen) => {
    // The title shows the reason until the number is valid.
    if (options.problem(chosen.length) === undefined) list.title = toPlain(options.title);
  });
  list.onDidHide(() => resolve(undefined));
  list.show();
  return awaitInput(promise).finally(() => list.dispose());
}
