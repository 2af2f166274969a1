import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxLabelLength = 300;
const maxTextLength = 600;

/** An item of a list. The icon is a separate field instead of a part of the label. */
export interface Choice {
  readonly label: string;
  readonly icon?: string;
  readonly description?: string;
  readonly detail?: string;
}

export interface PickOptions {
  readonly title: string;
  readonly placeHolder?: string;
}

let openInputs = 0;

/** Whether one of our lists or text boxes is open. A tab that opens at this time must not take the focus. */
export function isInputOpen(): boolean {
  return openInputs > 0;
}

/** Reports that a list or text box opened (1) or closed (-1). */
export function countOpenInput(change: 1 | -1): void {
  openInputs += change;
}

let openQuestion = Promise.resolve();

/** Stores that a question of a sequence, such as for a secret, is open until this promise resolves. */
export function setOpenQuestion(closed: Promise<void>): void {
  openQuestion = closed;
}

/**
 * Waits while a question of a sequence is open. A dialog or list that opens automatically, or after a delay, would
 * receive the key presses for the question.
 */
export function waitForOpenQuestion(): Promise<void> {
  return openQuestion;
}

/** Waits for the result of a list or text box. The list or box counts as open until then. */
export async function awaitInput<T>(result: PromiseLike<T>): Promise<T> {
  countOpenInput(1);
  try {
    return await result;
  } finally {
    countOpenInput(-1);
  }
}

/**
 * Shows a list to choose from. Typing filters by label, description and detail.
 *
 * @returns undefined if the user cancels
 */
export async function pick<C extends Choice>(
  choices: readonly C[] | Promise<readonly C[]>,
  options: PickOptions,
): Promise<C | undefined> {
  const rows = Promise.resolve(choices).then((resolved) =>
    resolved.map((choice) => ({ ...toQuickPickItem(choice), choice })),
  );
  const shown = vscode.window.showQuickPick(rows, {
    ...options,
    title: plainLine(options.title, maxTextLength),
    ...(options.placeHolder !== undefined && { placeHolder: plainLine(options.placeHolder, maxTextLength) }),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const picked = await awaitInput(shown);
  return picked?.choice;
}

/** A row of a list with multiple selection. */
interface ManyChoice extends Choice {
  readonly isPicked: boolean;
}

/**
 * Shows a list with multiple selection.
 *
 * @returns undefined if the user cancels
 */
export async function pickMany<C extends ManyChoice>(
  choices: readonly C[],
  { title, placeHolder = '' }: PickOptions,
): Promise<readonly C[] | undefined> {
  const rows = choices.map((choice) => ({ ...toQuickPickItem(choice), picked: choice.isPicked, choice }));
  const shown = vscode.window.showQuickPick(rows, {
    title: plainLine(title, maxTextLength),
    placeHolder: plainLine(placeHolder, maxTextLength),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const picked = await awaitInput(shown);
  return picked?.map(({ choice }) => choice);
}

interface PickSeveralOptions<C extends Choice> extends PickOptions {
  readonly choices: readonly C[];
  /** Whether a choice is selected at first. */
  readonly isChosen: (choice: C) => boolean;
  /** Returns the reason why this number of choices is invalid; undefined if it is valid. */
  readonly problem: (count: number) => string | undefined;
}

/**
 * Shows a list with multiple selection. The list remains open while the number of selected choices is invalid, and
 * shows the reason in its title.
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
    // The title shows the reason until the number of choices is valid.
    if (options.problem(chosen.length) === undefined) list.title = toPlain(options.title);
  });
  list.onDidHide(() => resolve(undefined));
  list.show();
  return awaitInput(promise).finally(() => list.dispose());
}

export interface TextOptions {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string | undefined;
  readonly value?: string | undefined;
  readonly password?: boolean;
  /** Returns the reason why a text is invalid; undefined if it is valid. */
  readonly problem?: (text: string) => string | undefined;
}

/**
 * Lets the user enter a text.
 *
 * @returns undefined if the user cancels
 */
export async function requestText({ problem, ...options }: TextOptions): Promise<string | undefined> {
  const shown = vscode.window.showInputBox({
    ...options,
    title: plainLine(options.title, maxTextLength),
    prompt: plainLine(options.prompt, maxTextLength),
    placeHolder:
      options.placeHolder === undefined ? undefined : plainLine(options.placeHolder, maxTextLength),
    validateInput: (text) => {
      const foundProblem = problem?.(text);
      return foundProblem === undefined ? undefined : plainLine(foundProblem, maxTextLength);
    },
  });
  return awaitInput(shown);
}

/** Converts a choice, and removes links and icons from its texts. */
export function toQuickPickItem({ label, icon, description, detail }: Choice): vscode.QuickPickItem {
  const plain = plainLine(label, maxLabelLength);
  return {
    label: icon === undefined ? plain : `$(${icon}) ${plain}`,
    ...(description && { description: plainLine(description, maxLabelLength) }),
    ...(detail && { detail: plainLine(detail, maxTextLength) }),
  };
}
