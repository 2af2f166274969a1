import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { answerOfInput, type Choice, type PickOptions, shownChoice } from './prompts.ts';

const maxTextLength = 600;

export interface PickSeveralOptions<C extends Choice> extends PickOptions {
  readonly choices: readonly C[];
  /** Whether a choice is chosen to begin with. */
  readonly isChosen: (choice: C) => boolean;
  /** Returns why so many cannot be chosen; undefined where they can. */
  readonly problem: (count: number) => string | undefined;
}

/**
 * Shows a list to choose several from. It stays open while their number does not fit, and says why in its title.
 *
 * @returns undefined when the user cancels
 */
export async function pickSeveral<C extends Choice>(
  options: PickSeveralOptions<C>,
): Promise<readonly C[] | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly choice: C }>();
  const title = (words: string) => plainLine(words, maxTextLength);
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.title = title(options.title);
  list.placeholder = title(options.placeHolder ?? '');
  list.items = options.choices.map((choice) => ({ ...shownChoice(choice), choice }));
  list.selectedItems = list.items.filter(({ choice }) => options.isChosen(choice));
  const { promise, resolve } = Promise.withResolvers<readonly C[] | undefined>();
  list.onDidAccept(() => {
    const problem = options.problem(list.selectedItems.length);
    if (problem !== undefined) list.title = title(problem);
    else resolve(list.selectedItems.map(({ choice }) => choice));
  });
  list.onDidChangeSelection((chosen) => {
    list.title = title(options.problem(chosen.length) === undefined ? options.title : (list.title ?? ''));
  });
  list.onDidHide(() => resolve(undefined));
  list.show();
  return answerOfInput(promise).finally(() => list.dispose());
}
