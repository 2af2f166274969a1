import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxLabelLength = 300;
const maxTextLength = 600;

/** An item of a list. Its icon is a field of its own, never part of the label. */
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

/** Whether a list or text box of ours is open. A tab that opens meanwhile does not take its focus. */
export function isInputOpen(): boolean {
  return openInputs > 0;
}

/** Reports that a list or text box opened (1) or closed (-1). */
export function countInput(change: 1 | -1): void {
  openInputs += change;
}

let question = Promise.resolve();

/** Notes that a question in steps, such as one for a secret, is on the screen until this resolves. */
export function noteQuestion(closed: Promise<void>): void {
  question = closed;
}

/**
 * Waits while a question in steps is on the screen. A dialog or list that comes by itself, or after a while, would take
 * the keys that are meant for it.
 */
export function questionClosed(): Promise<void> {
  return question;
}

/** Waits for the answer of a list or text box, which is open until then. */
export async function answerOfInput<T>(answer: PromiseLike<T>): Promise<T> {
  countInput(1);
  try {
    return await answer;
  } finally {
    countInput(-1);
  }
}

/**
 * Shows a list to choose from. Typing filters by label, description and detail.
 *
 * @returns undefined when the user cancels
 */
export async function pick<C extends Choice>(
  choices: readonly C[] | Promise<readonly C[]>,
  options: PickOptions,
): Promise<C | undefined> {
  const rows = Promise.resolve(choices).then((all) =>
    all.map((choice) => ({ ...shownChoice(choice), choice })),
  );
  const shown = vscode.window.showQuickPick(rows, {
    ...options,
    title: plainLine(options.title, maxTextLength),
    ...(options.placeHolder !== undefined && { placeHolder: plainLine(options.placeHolder, maxTextLength) }),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const picked = await answerOfInput(shown);
  return picked?.choice;
}

/** A row of a list of which several can be chosen. */
export interface ManyChoice extends Choice {
  readonly isPicked: boolean;
}

/**
 * Shows a list of which any number can be chosen.
 *
 * @returns undefined when the user cancels
 */
export async function pickMany<C extends ManyChoice>(
  choices: readonly C[],
  { title, placeHolder = '' }: PickOptions,
): Promise<readonly C[] | undefined> {
  const rows = choices.map((choice) => ({ ...shownChoice(choice), picked: choice.isPicked, choice }));
  const shown = vscode.window.showQuickPick(rows, {
    title: plainLine(title, maxTextLength),
    placeHolder: plainLine(placeHolder, maxTextLength),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const picked = await answerOfInput(shown);
  return picked?.map(({ choice }) => choice);
}

export interface TextOptions {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string | undefined;
  readonly value?: string | undefined;
  readonly password?: boolean;
  /** Returns why a text is invalid; undefined for a valid one. */
  readonly problem?: (text: string) => string | undefined;
}

/**
 * Asks for a text.
 *
 * @returns undefined when the user cancels
 */
export async function askText({ problem, ...options }: TextOptions): Promise<string | undefined> {
  const shown = vscode.window.showInputBox({
    ...options,
    title: plainLine(options.title, maxTextLength),
    prompt: plainLine(options.prompt, maxTextLength),
    placeHolder:
      options.placeHolder === undefined ? undefined : plainLine(options.placeHolder, maxTextLength),
    validateInput: (text) => {
      const wrong = problem?.(text);
      return wrong === undefined ? undefined : plainLine(wrong, maxTextLength);
    },
  });
  return answerOfInput(shown);
}

/** A choice without links and icons in its words. */
export function shownChoice({ label, icon, description, detail }: Choice): vscode.QuickPickItem {
  const plain = plainLine(label, maxLabelLength);
  return {
    label: icon === undefined ? plain : `$(${icon}) ${plain}`,
    ...(description && { description: plainLine(description, maxLabelLength) }),
    ...(detail && { detail: plainLine(detail, maxTextLength) }),
  };
}
